//! The machine code of the calls in a constructor, by the calling conventions of Linux.

mod aarch64;
mod x86_64;

use object::{Architecture, elf};

use super::symbol::Symbol;
use crate::contract::platform::Platform;

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Argument {
    /// The address `.1` bytes after a symbol.
    Address(Symbol, usize),
    /// The eight bytes that are there when the call is made.
    Loaded(Symbol, usize),
    /// A number, or null.
    Number(i64),
}

/// A call of a function.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// A function that another object or library defines.
    pub(super) callee: &'static str,
    /// Its arguments: pointers and integers.
    pub(super) arguments: Vec<Argument>,
    /// The place of its result, if it has a result that is needed.
    pub(super) result: Option<(Symbol, usize)>,
}

impl Call {
    /// A call with the address of a symbol.
    pub(super) fn with(callee: &'static str, argument: Symbol) -> Self {
        Self { callee, arguments: vec![Argument::Address(argument, 0)], result: None }
    }
}

/// Machine code with holes.
#[derive(Default)]
pub(super) struct Code {
    pub(super) bytes: Vec<u8>,
    /// The holes.
    pub(super) places: Vec<Place>,
}

/// A place in code that contains an address or a part of one.
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) target: Target,
    pub(super) relocation: elf::RelocationType,
    /// The addend of the address, besides the offset of the target.
    pub(super) addend: i64,
}

/// Where an address leads.
#[derive(Clone, Copy)]
pub(super) enum Target {
    Callee(&'static str),
    /// Bytes after a symbol.
    Memory(Symbol, usize),
}

/// The machine of a platform's objects.
pub(super) fn architecture(platform: Platform) -> Architecture {
    match platform {
        Platform::X86_64 => Architecture::X86_64,
        Platform::Aarch64 => Architecture::Aarch64,
    }
}

/// The relocation of an address of 8 bytes.
pub(super) fn address(platform: Platform) -> elf::RelocationType {
    match platform {
        Platform::X86_64 => elf::R_X86_64_64,
        Platform::Aarch64 => elf::R_AARCH64_ABS64,
    }
}

/// ```c
/// static void function(void) { result = callee(arguments, ...); ... }
/// ```
///
/// The function is called through a pointer.
pub(super) fn code(platform: Platform, calls: &[Call]) -> Code {
    match platform {
        Platform::X86_64 => x86_64::code(calls),
        Platform::Aarch64 => aarch64::code(calls),
    }
}
