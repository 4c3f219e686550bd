//! A thread's own variables in one function: which pointers lead to which alloca, and who reads or gets them.
//!
//! Pointers are followed through offsets, casts, phis and selects. An alloca whose address goes anywhere else has
//! *escaped*: it may be reached through a pointer from memory or from a call. A kernel's parameters and statics never
//! lead to one. Assumed of a callee: it keeps a local's address in no static.

use std::collections::{HashMap, HashSet};

use crate::llvm::{Opcode, Value};

/// What is known of a function's allocas.
#[derive(Default)]
pub struct Locals<'c> {
    /// The allocas a pointer may lead to.
    roots: HashMap<Value<'c>, Vec<Value<'c>>>,
    /// Loads through a pointer to an alloca.
    pub loads: HashMap<Value<'c>, Vec<Value<'c>>>,
    /// Calls that get a pointer to an alloca.
    pub calls: HashMap<Value<'c>, Vec<Value<'c>>>,
    /// Allocas whose address stands in memory or went through a call.
    pub escaped: HashSet<Value<'c>>,
    /// Whether an alloca's address stands in memory that is no alloca's.
    pub published: bool,
    /// What may read an alloca that escaped: loads through pointers of unknown origin, and calls that get pointers.
    pub unknown_readers: Vec<Value<'c>>,
}

impl<'c> Locals<'c> {
    /// Those of a function with a body.
    pub fn of(function: Value<'c>) -> Self {
        let mut locals = Locals::default();
        let allocas: Vec<_> = function.instructions().filter(|i| i.is(Opcode::Alloca)).collect();
        for alloca in &allocas {
            locals.follow(*alloca);
        }
        for instruction in function.instructions() {
            match instruction.opcode() {
                Opcode::Load if is_unknown(instruction.operand(0)) => locals.unknown_readers.push(instruction),
                Opcode::Call if !is_intrinsic(instruction) && instruction.arguments().iter().any(holds_pointer) => {
                    locals.unknown_readers.push(instruction);
                }
                Opcode::Store if locals.leads_to_local(instruction.operand(0)) => {
                    locals.published |= !base(instruction.operand(1)).is(Opcode::Alloca);
                }
                _ => {}
            }
        }
        locals
    }

    /// The allocas that a pointer may lead to.
    pub fn roots(&self, pointer: Value<'c>) -> Vec<Value<'c>> {
        self.roots.get(&pointer).cloned().unwrap_or_default()
    }

    fn leads_to_local(&self, value: Value<'c>) -> bool {
        self.roots.contains_key(&value)
    }

    /// Finds every pointer that is made of an alloca's address, and what is done with it.
    fn follow(&mut self, alloca: Value<'c>) {
        let (mut work, mut seen) = (vec![alloca], HashSet::from([alloca]));
        while let Some(pointer) = work.pop() {
            self.roots.entry(pointer).or_default().push(alloca);
            for user in pointer.users() {
                match user.opcode() {
                    Opcode::Load => self.loads.entry(alloca).or_default().push(user),
                    Opcode::Store if user.operand(0) != pointer => {}
                    Opcode::ICmp => {}
                    Opcode::Call => {
                        self.calls.entry(alloca).or_default().push(user);
                        if links(user) {
                            self.escaped.insert(alloca);
                        }
                    }
                    Opcode::GetElementPtr
                    | Opcode::BitCast
                    | Opcode::AddrSpaceCast
                    | Opcode::Phi
                    | Opcode::Select
                    | Opcode::Freeze => {
                        if seen.insert(user) {
                            work.push(user);
                        }
                    }
                    _ => {
                        self.escaped.insert(alloca);
                    }
                }
            }
        }
    }
}

/// Whether a call may put a pointer that it gets where another one leads: with two pointers, or one that comes back.
fn links(call: Value<'_>) -> bool {
    let pointers = call.arguments().iter().filter(|a| holds_pointer(a)).count();
    !is_intrinsic(call) && (pointers > 1 || holds_pointer(&call))
}

fn is_intrinsic(call: Value<'_>) -> bool {
    call.called_function().is_some_and(|f| f.is_intrinsic())
}

fn holds_pointer(value: &Value<'_>) -> bool {
    let (mut work, mut found) = (vec![value.ty()], false);
    while let Some(ty) = work.pop() {
        found |= ty.is_pointer();
        work.extend(ty.parts());
    }
    found
}

/// Whether a pointer may come from memory or a call, and so lead to an alloca that escaped.
pub fn is_unknown(pointer: Value<'_>) -> bool {
    let base = base(pointer);
    !(base.is_constant() || base.is_argument() || base.is(Opcode::Alloca))
}

/// The pointer that offsets and casts were put on.
fn base(pointer: Value<'_>) -> Value<'_> {
    let mut value = pointer;
    while value.is_instruction()
        && matches!(value.opcode(), Opcode::GetElementPtr | Opcode::BitCast | Opcode::AddrSpaceCast)
    {
        value = value.operand(0);
    }
    value
}
