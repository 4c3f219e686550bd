//! The symbols that a module will have as an object, for linkers.

use std::ffi::c_void;

use super::value::{c_name, take_message};
use super::{machine, shim};
use crate::error::{Error, Result};

/// A symbol of a module that other objects can see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name in an object.
    pub name: String,
    /// Whether the module only names it.
    pub undefined: bool,
    /// Whether another definition may take its place, or none at all.
    pub weak: bool,
    /// The size of a common symbol, as of a C variable without an initial value.
    pub common: Option<u64>,
    /// Whether it is a function.
    pub function: bool,
    /// Who can see it.
    pub visibility: Visibility,
    /// The section that the source names; empty if it names none.
    pub section: String,
    /// The group of symbols of which linkers keep one; empty if it is in none.
    pub comdat: String,
}

/// Who can see a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Everyone.
    Default,
    /// The program or shared library itself.
    Hidden,
    /// Everyone, but it cannot be replaced.
    Protected,
}

/// The symbols of a module. The identification block must have been checked before, as for
/// [`super::Module::from_bitcode`].
pub fn symbols(bitcode: &[u8], name: &str) -> Result<Vec<Symbol>> {
    // Assembly in a module has symbols, too.
    machine::initialize();
    let (title, mut message) = (c_name(name), std::ptr::null_mut());
    let mut found: Vec<Symbol> = Vec::new();
    // SAFETY: every pointer outlives the call with its length beside it; `collect` gets the list back. The message is
    // taken once.
    unsafe {
        let state = (&raw mut found).cast::<c_void>();
        let (bytes, length) = (bitcode.as_ptr().cast(), bitcode.len());
        let read = shim::ofc_symbols(bytes, length, title.as_ptr(), collect, state, &mut message);
        if read != 0 { Ok(found) } else { Err(Error::new(take_message(message))) }
    }
}

/// Adds a symbol to the list in `state`.
unsafe extern "C" fn collect(state: *mut c_void, symbol: *const shim::Symbol) {
    // SAFETY: `state` is the list of `symbols`, which nothing else uses until LLVM is done, and `symbol` is valid.
    let (found, symbol) = unsafe { (&mut *state.cast::<Vec<Symbol>>(), &*symbol) };
    let text = |start: *const std::ffi::c_char, length: usize| match length {
        0 => String::new(),
        // SAFETY: LLVM's strings are valid in this call.
        _ => String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) }).into_owned(),
    };
    found.push(Symbol {
        name: text(symbol.name, symbol.name_length),
        undefined: symbol.undefined != 0,
        weak: symbol.weak != 0,
        common: (symbol.common != 0).then_some(symbol.common_size),
        function: symbol.function != 0,
        visibility: match symbol.visibility {
            0 => Visibility::Default,
            1 => Visibility::Hidden,
            _ => Visibility::Protected,
        },
        section: text(symbol.section, symbol.section_length),
        comdat: text(symbol.comdat, symbol.comdat_length),
    });
}
