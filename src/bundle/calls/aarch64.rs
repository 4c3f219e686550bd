//! Calls on AArch64, by AAPCS64.

use object::elf;

use super::{Argument, Call, Code, Place, Target};

/// The registers x0 to x7 have the first arguments.
const REGISTERS: usize = 8;
/// A register that is free before and after a call: x9.
const SCRATCH: u32 = 9;
/// The stack pointer, as the base register of an access.
const SP: u32 = 31;

pub(super) fn code(calls: &[Call]) -> Code {
    let mut code = Code::default();
    word(&mut code, 0xd503_245f); // bti c: it is called through a pointer
    word(&mut code, 0xa9bf_7bfd); // stp x29, x30, [sp, #-16]!
    word(&mut code, 0x9100_03fd); // mov x29, sp
    for call in calls {
        add(&mut code, call);
    }
    word(&mut code, 0xa8c1_7bfd); // ldp x29, x30, [sp], #16
    word(&mut code, 0xd65f_03c0); // ret
    code
}

fn add(code: &mut Code, call: &Call) {
    let in_registers = call.arguments.len().min(REGISTERS);
    let (in_registers, on_stack) = call.arguments.split_at(in_registers);
    // The stack pointer is a multiple of 16.
    let room = 8 * on_stack.len().next_multiple_of(2) as u32;
    if room > 0 {
        word(code, 0xd100_03ff | room << 10); // sub sp, sp, #room
    }
    for (argument, slot) in on_stack.iter().zip(0..) {
        load(code, SCRATCH, *argument);
        word(code, 0xf900_0000 | slot << 10 | SP << 5 | SCRATCH); // str x9, [sp, #8 * slot]
    }
    for (argument, register) in in_registers.iter().zip(0..) {
        load(code, register, *argument);
    }
    place(code, 0x9400_0000, Target::Callee(call.callee), elf::R_AARCH64_CALL26); // bl callee
    if room > 0 {
        word(code, 0x9100_03ff | room << 10); // add sp, sp, #room
    }
    if let Some((symbol, offset)) = call.result {
        let target = Target::Memory(symbol, offset);
        page(code, SCRATCH, target);
        place(code, 0xf900_0000 | SCRATCH << 5, target, elf::R_AARCH64_LDST64_ABS_LO12_NC); // str x0, [x9, :lo12:]
    }
}

fn load(code: &mut Code, register: u32, argument: Argument) {
    match argument {
        Argument::Address(symbol, offset) => {
            let target = Target::Memory(symbol, offset);
            page(code, register, target);
            // add register, register, :lo12:target
            place(code, 0x9100_0000 | register << 5 | register, target, elf::R_AARCH64_ADD_ABS_LO12_NC);
        }
        Argument::Loaded(symbol, offset) => {
            let target = Target::Memory(symbol, offset);
            page(code, register, target);
            // ldr register, [register, :lo12:target]
            place(code, 0xf940_0000 | register << 5 | register, target, elf::R_AARCH64_LDST64_ABS_LO12_NC);
        }
        Argument::Number(number) => {
            // movz, then movk of the other three quarters
            for quarter in 0..4_u32 {
                let bits = (number as u64 >> (16 * quarter)) as u32 & 0xffff;
                let opcode = if quarter == 0 { 0xd280_0000 } else { 0xf280_0000 };
                word(code, opcode | quarter << 21 | bits << 5 | register);
            }
        }
    }
}

/// adrp register, target
fn page(code: &mut Code, register: u32, target: Target) {
    place(code, 0x9000_0000 | register, target, elf::R_AARCH64_ADR_PREL_PG_HI21);
}

fn word(code: &mut Code, word: u32) {
    code.bytes.extend(word.to_le_bytes());
}

/// An instruction with an address in it.
fn place(code: &mut Code, instruction: u32, target: Target, relocation: elf::RelocationType) {
    code.places.push(Place { at: code.bytes.len(), target, relocation, addend: 0 });
    word(code, instruction);
}
