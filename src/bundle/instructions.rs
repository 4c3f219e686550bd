//! The instructions and relocations of the registration object, for each platform.

use crate::contract::platform::Platform;
use object::{Architecture, elf};

use super::relocatable::Symbol;

/// A function's code.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub(super) bytes: Vec<u8>,
    /// The places in it that contain addresses.
    pub(super) places: Vec<CodePlace>,
}

/// A place in code that contains an address.
#[derive(Debug)]
pub(super) struct CodePlace {
    pub(super) offset: usize,
    pub(super) symbol: Symbol,
    pub(super) relocation: elf::RelocationType,
    pub(super) addend: i64,
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

/// A function without parameters and result that makes `calls`: each is a symbol, whose address is the only argument,
/// and a callee. The function is called through a pointer.
pub(super) fn calls(platform: Platform, calls: &[(Symbol, Symbol)]) -> Code {
    match platform {
        Platform::X86_64 => x86_64(calls),
        Platform::Aarch64 => aarch64(calls),
    }
}

fn x86_64(calls: &[(Symbol, Symbol)]) -> Code {
    let mut code = Code::default();
    code.bytes.extend([0xf3, 0x0f, 0x1e, 0xfa]); // endbr64
    code.bytes.push(0x50); // push rax: aligns the stack for calls
    for (argument, callee) in calls {
        code.bytes.extend([0x48, 0x8d, 0x3d]); // lea rdi, [rip + argument]
        code.relative(*argument, elf::R_X86_64_PC32);
        code.bytes.push(0xe8); // call callee@plt
        code.relative(*callee, elf::R_X86_64_PLT32);
    }
    code.bytes.extend([0x58, 0xc3]); // pop rax; ret
    code
}

fn aarch64(calls: &[(Symbol, Symbol)]) -> Code {
    let mut code = Code::default();
    code.word(0xd503_245f); // bti c
    code.word(0xa9bf_7bfd); // stp x29, x30, [sp, #-16]!
    code.word(0x9100_03fd); // mov x29, sp
    for (argument, callee) in calls {
        code.word_with(0x9000_0000, *argument, elf::R_AARCH64_ADR_PREL_PG_HI21); // adrp x0, argument
        code.word_with(0x9100_0000, *argument, elf::R_AARCH64_ADD_ABS_LO12_NC); // add x0, x0, :lo12:argument
        code.word_with(0x9400_0000, *callee, elf::R_AARCH64_CALL26); // bl callee
    }
    code.word(0xa8c1_7bfd); // ldp x29, x30, [sp], #16
    code.word(0xd65f_03c0); // ret
    code
}

impl Code {
    /// Adds an address that is relative to the end of its four bytes.
    fn relative(&mut self, symbol: Symbol, relocation: elf::RelocationType) {
        self.places.push(CodePlace { offset: self.bytes.len(), symbol, relocation, addend: -4 });
        self.bytes.extend([0; 4]);
    }

    /// Adds an instruction of four bytes.
    fn word(&mut self, word: u32) {
        self.bytes.extend(word.to_le_bytes());
    }

    /// Adds such an instruction, with an address in it.
    fn word_with(&mut self, word: u32, symbol: Symbol, relocation: elf::RelocationType) {
        self.places.push(CodePlace { offset: self.bytes.len(), symbol, relocation, addend: 0 });
        self.word(word);
    }
}
