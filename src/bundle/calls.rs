//! The machine code of calls, for x86-64 and its calling convention of Linux: what a constructor does.

use super::relocatable::Symbol;

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
pub(super) struct Code {
    pub(super) bytes: Vec<u8>,
    /// The holes.
    pub(super) places: Vec<Place>,
}

/// Four bytes for a relative address.
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) target: Target,
}

/// Where a relative address leads.
pub(super) enum Target {
    Callee(&'static str),
    /// Bytes after a symbol.
    Memory(Symbol, usize),
}

/// The numbers of the registers of the first six arguments: rdi, rsi, rdx, rcx, r8, r9.
const REGISTERS: [u8; 6] = [7, 6, 2, 1, 8, 9];
/// The register of results, which is also free before a call.
const RAX: u8 = 0;

/// ```c
/// static void function(void) { result = callee(arguments, ...); ... }
/// ```
pub(super) fn code(calls: &[Call]) -> Code {
    let mut code = Code { bytes: Vec::new(), places: Vec::new() };
    code.bytes.extend([0xf3, 0x0f, 0x1e, 0xfa]); // endbr64: it is called through a pointer
    code.bytes.push(0x50); // push rax: aligns the stack for calls
    for call in calls {
        code.call(call);
    }
    code.bytes.extend([0x58, 0xc3]); // pop rax; ret
    code
}

impl Code {
    fn call(&mut self, call: &Call) {
        let in_registers = call.arguments.len().min(REGISTERS.len());
        let (in_registers, on_stack) = call.arguments.split_at(in_registers);
        let odd = on_stack.len() % 2;
        if odd == 1 {
            self.bytes.push(0x50); // push rax: aligns the stack
        }
        for argument in on_stack.iter().rev() {
            self.load(RAX, *argument);
            self.bytes.push(0x50); // push rax
        }
        for (argument, register) in in_registers.iter().zip(REGISTERS) {
            self.load(register, *argument);
        }
        self.bytes.push(0xe8); // call callee@plt
        self.place(Target::Callee(call.callee));
        let room = 8 * (on_stack.len() + odd);
        if room > 0 {
            self.bytes.extend([0x48, 0x81, 0xc4]); // add rsp, room
            self.bytes.extend((room as u32).to_le_bytes());
        }
        if let Some((symbol, offset)) = call.result {
            self.access(0x89, RAX, Target::Memory(symbol, offset)); // mov [rip + result], rax
        }
    }

    fn load(&mut self, register: u8, argument: Argument) {
        match argument {
            Argument::Address(symbol, offset) => self.access(0x8d, register, Target::Memory(symbol, offset)), // lea
            Argument::Loaded(symbol, offset) => self.access(0x8b, register, Target::Memory(symbol, offset)),  // mov
            Argument::Number(number) => {
                // mov register, number
                self.bytes.extend([0x48 | (register >> 3), 0xb8 | (register & 7)]);
                self.bytes.extend(number.to_le_bytes());
            }
        }
    }

    /// An instruction with a register of 64 bits and memory relative to the instruction pointer.
    fn access(&mut self, opcode: u8, register: u8, target: Target) {
        self.bytes.extend([0x48 | (register >> 3) << 2, opcode, ((register & 7) << 3) | 5]);
        self.place(target);
    }

    fn place(&mut self, target: Target) {
        self.places.push(Place { at: self.bytes.len(), target });
        self.bytes.extend([0; 4]);
    }
}
