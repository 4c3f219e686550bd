//! Links whole modules into a module, and single definitions from bitcode, of which nothing else is read.

use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::memory_buffer::MemoryBuffer;
use std::ffi::{CString, c_char, c_int, c_uint, c_void};

use super::diagnose::collecting;
use super::value::{c_name, take_message};
use super::{Module, Value, shim};
use crate::error::{Error, Result};

/// Decides whether a definition that another one names is linked, too.
type LinkFilter<'w, 'c> = dyn Fn(Value<'c>) -> bool + 'w;

impl<'c> Module<'c> {
    /// Links the definitions in `text`, which is written for this module's address spaces and has neither triple nor
    /// data layout. They replace this module's declarations, and are after all other functions.
    pub fn link_text(&self, text: &str, name: &str) -> Result<()> {
        let (layout, triple) = (self.data_layout(), self.triple());
        let whole = format!("target datalayout = \"{layout}\"\ntarget triple = \"{triple}\"\n{text}");
        let buffer = MemoryBuffer::create_from_memory_range_copy(whole.as_bytes(), name);
        let parsed = self.inner().get_context().create_module_from_ir(buffer);
        let parsed = parsed.map_err(|e| Error::internal(format!("{name} is not valid LLVM IR: {e}")))?;
        self.inner().link_in_module(parsed).map_err(|e| Error::internal(format!("cannot link {name}: {e}")))
    }

    /// A linker of whole modules into this module.
    pub fn module_linker(&self) -> ModuleLinker<'_, 'c> {
        // SAFETY: the module lives as long as the linker, which borrows it.
        ModuleLinker { module: self, linker: unsafe { shim::ofc_new_linker(self.raw()) } }
    }

    /// A linker from bitcode into this module.
    pub fn linker(&self) -> Linker<'_, 'c> {
        // SAFETY: the module lives as long as the linker, which borrows it.
        Linker { module: self, mover: unsafe { shim::ofc_new_mover(self.raw()) } }
    }
}

/// A definition of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The symbol; none if other modules cannot use it.
    pub symbol: Option<String>,
    /// A function's calling convention; 0 for data.
    pub convention: u32,
}

/// The definitions of a module, of which no function is read. The identification block must have been checked before,
/// as for [`Module::from_bitcode`].
pub fn definitions(bitcode: &[u8], name: &str) -> Result<Vec<Definition>> {
    let (title, mut message) = (c_name(name), std::ptr::null_mut());
    let mut found: Vec<Definition> = Vec::new();
    // SAFETY: every pointer outlives the call with its length beside it; `collect` gets the list back. The message is
    // taken once.
    unsafe {
        let state = (&raw mut found).cast::<c_void>();
        let (bytes, length) = (bitcode.as_ptr().cast(), bitcode.len());
        let read = shim::ofc_definitions(bytes, length, title.as_ptr(), collect, state, &mut message);
        if read != 0 { Ok(found) } else { Err(Error::new(take_message(message))) }
    }
}

/// Adds a definition to the list in `state`. A name that is not UTF-8 is none: nothing can ask for it.
unsafe extern "C" fn collect(state: *mut c_void, name: *const c_char, length: usize, convention: c_uint) {
    // SAFETY: `state` is the list of `definitions`, which nothing else uses until LLVM is done, and an empty name may
    // have no address.
    let (found, name) = unsafe {
        let bytes = if length == 0 { &[][..] } else { std::slice::from_raw_parts(name.cast::<u8>(), length) };
        (&mut *state.cast::<Vec<Definition>>(), bytes)
    };
    let symbol = std::str::from_utf8(name).ok().filter(|name| !name.is_empty()).map(str::to_owned);
    found.push(Definition { symbol, convention });
}

/// Links whole modules into a module. A program has hundreds of them, and creating a linker takes as long as traversing
/// the module, so one is used for all.
pub struct ModuleLinker<'m, 'c> {
    module: &'m Module<'c>,
    linker: *mut c_void,
}

impl<'c> ModuleLinker<'_, 'c> {
    /// Moves everything of `other` into the linker's module.
    pub fn link(&self, other: Module<'c>) -> Result<()> {
        collecting(self.module, || {
            // SAFETY: both modules are live and of the same context; LLVM destroys the one that is given up here.
            let linked = unsafe { shim::ofc_link_module(self.linker, other.into_raw()) };
            if linked != 0 { Ok(()) } else { Err(Error::new("LLVM's linker gives no reason")) }
        })
    }
}

impl Drop for ModuleLinker<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: it came from `ofc_new_linker` and ends once, before its module does.
        unsafe { shim::ofc_end_linker(self.linker) }
    }
}

/// Links definitions from bitcode into a module. Creating a linker takes as long as traversing the module, so one is
/// used for all bitcode.
pub struct Linker<'m, 'c> {
    module: &'m Module<'c>,
    mover: *mut c_void,
}

impl<'c> Linker<'_, 'c> {
    /// Links the definitions of `symbols` from `bitcode`, with all definitions that they need and that `wanted`
    /// accepts; the others become declarations. Without `lines`, their debug information is removed. The identification
    /// block must have been checked before, as for [`Module::from_bitcode`].
    pub fn link(
        &self,
        bitcode: &[u8],
        name: &str,
        symbols: &[String],
        lines: bool,
        wanted: &LinkFilter<'_, 'c>,
    ) -> Result<()> {
        let symbols: Vec<CString> = symbols.iter().map(|symbol| c_name(symbol)).collect();
        let raw: Vec<*const c_char> = symbols.iter().map(|symbol| symbol.as_ptr()).collect();
        let (title, mut message) = (c_name(name), std::ptr::null_mut());
        collecting(self.module, || {
            // SAFETY: every pointer outlives the call with its length beside it; `decide` gets the predicate back.
            unsafe {
                let state = (&raw const wanted).cast_mut().cast::<c_void>();
                let (bytes, length) = (bitcode.as_ptr().cast(), bitcode.len());
                let (names, count, lines) = (raw.as_ptr(), raw.len(), lines.into());
                let linked = shim::ofc_link_needed(
                    self.mover,
                    self.module.raw(),
                    bytes,
                    length,
                    title.as_ptr(),
                    names,
                    count,
                    lines,
                    decide,
                    state,
                    &mut message,
                );
                if linked != 0 { Ok(()) } else { Err(Error::new(take_message(message))) }
            }
        })
    }
}

impl Drop for Linker<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: it came from `ofc_new_mover` and ends once, before its module does.
        unsafe { shim::ofc_end_mover(self.mover) }
    }
}

/// Calls the predicate in `state`.
unsafe extern "C" fn decide(state: *mut c_void, definition: LLVMValueRef) -> c_int {
    // SAFETY: `state` is the reference that `Linker::link` keeps until LLVM is done, and the definition is live.
    unsafe { (*state.cast::<&LinkFilter<'_, '_>>())(Value::new(definition)).into() }
}
