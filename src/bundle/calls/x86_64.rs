//! Calls on x86-64, by the System V convention.

use object::elf;

use super::{Argument, Call, Code, Place, Target};

/// The numbers of the registers of the first six arguments: rdi, rsi, rdx, rcx, r8, r9.
const REGISTERS: [u8; 6] = [7, 6, 2, 1, 8, 9];
/// The register of results, which is also free before a call.
const RAX: u8 = 0;

pub(super) fn code(calls: &[Call]) -> Code {
    let mut code = Code::default();
    code.bytes.extend([0xf3, 0x0f, 0x1e, 0xfa]); // endbr64: it is called through a pointer
    code.bytes.push(0x50); // push rax: aligns the stack for calls
    for call in calls {
        add(&mut code, call);
    }
    code.bytes.extend([0x58, 0xc3]); // pop rax; ret
    code
}

fn add(code: &mut Code, call: &Call) {
    let in_registers = call.arguments.len().min(REGISTERS.len());
    let (in_registers, on_stack) = call.arguments.split_at(in_registers);
    let odd = on_stack.len() % 2;
    if odd == 1 {
        code.bytes.push(0x50); // push rax: aligns the stack
    }
    for argument in on_stack.iter().rev() {
        load(code, RAX, *argument);
        code.bytes.push(0x50); // push rax
    }
    for (argument, register) in in_registers.iter().zip(REGISTERS) {
        load(code, register, *argument);
    }
    code.bytes.push(0xe8); // call callee@plt
    place(code, Target::Callee(call.callee), elf::R_X86_64_PLT32);
    let room = 8 * (on_stack.len() + odd);
    if room > 0 {
        code.bytes.extend([0x48, 0x81, 0xc4]); // add rsp, room
        code.bytes.extend((room as u32).to_le_bytes());
    }
    if let Some((symbol, offset)) = call.result {
        access(code, 0x89, RAX, Target::Memory(symbol, offset)); // mov [rip + result], rax
    }
}

fn load(code: &mut Code, register: u8, argument: Argument) {
    match argument {
        Argument::Address(symbol, offset) => access(code, 0x8d, register, Target::Memory(symbol, offset)), // lea
        Argument::Loaded(symbol, offset) => access(code, 0x8b, register, Target::Memory(symbol, offset)),  // mov
        Argument::Number(number) => {
            // mov register, number
            code.bytes.extend([0x48 | (register >> 3), 0xb8 | (register & 7)]);
            code.bytes.extend(number.to_le_bytes());
        }
    }
}

/// An instruction with a register of 64 bits and memory relative to the instruction pointer.
fn access(code: &mut Code, opcode: u8, register: u8, target: Target) {
    code.bytes.extend([0x48 | (register >> 3) << 2, opcode, ((register & 7) << 3) | 5]);
    place(code, target, elf::R_X86_64_PC32);
}

/// Four bytes for an address that is relative to their end.
fn place(code: &mut Code, target: Target, relocation: elf::RelocationType) {
    code.places.push(Place { at: code.bytes.len(), target, relocation, addend: -4 });
    code.bytes.extend([0; 4]);
}
