//! Local variables of a thread in one function: which pointers lead to which alloca, and which loads and calls access
//! it.
//!
//! Pointers are followed through offsets, casts, phis and selects. An alloca whose address is used in any other way has
//! *escaped*: it may be accessed through a pointer from memory or from a call. Parameters of a kernel and statics never
//! lead to an alloca. A callee is assumed not to store the address of a local in a static.

use std::collections::{HashMap, HashSet};

use crate::llvm::{Function, Opcode, Value};

/// The uses of a function's allocas.
#[derive(Default)]
pub struct Locals<'c> {
    /// The allocas a pointer may lead to.
    roots: HashMap<Value<'c>, Vec<Value<'c>>>,
    /// Loads through a pointer to an alloca.
    pub loads: HashMap<Value<'c>, Vec<Value<'c>>>,
    /// Calls that receive a pointer to an alloca.
    pub calls: HashMap<Value<'c>, Vec<Value<'c>>>,
    /// Allocas whose address is in memory, or was passed to a call.
    pub escaped: HashSet<Value<'c>>,
    /// Whether the address of an alloca is in memory other than an alloca.
    pub published: bool,
    /// Possible reads of an escaped alloca: loads through pointers of unknown origin, and calls that receive pointers.
    pub unknown_readers: Vec<Value<'c>>,
}

impl<'c> Locals<'c> {
    /// Analyses a function with a body.
    pub fn of(function: Function<'c>) -> Self {
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

    /// Finds every pointer that is derived from an alloca, and its uses.
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

/// Whether a call may store a pointer argument where another one leads: it has two pointers, or returns one.
fn links(call: Value<'_>) -> bool {
    let pointers = call.arguments().iter().filter(|a| holds_pointer(a)).count();
    !is_intrinsic(call) && (pointers > 1 || holds_pointer(&call))
}

fn is_intrinsic(call: Value<'_>) -> bool {
    call.called_intrinsic().is_some()
}

fn holds_pointer(value: &Value<'_>) -> bool {
    let (mut work, mut found) = (vec![value.ty()], false);
    while let Some(ty) = work.pop() {
        found |= ty.is_pointer();
        work.extend(ty.parts());
    }
    found
}

/// Whether a pointer may come from memory or a call, and therefore lead to an escaped alloca.
pub fn is_unknown(pointer: Value<'_>) -> bool {
    let base = base(pointer);
    !(base.is_constant() || base.is_argument() || base.is(Opcode::Alloca))
}

/// The pointer without offsets and casts.
fn base(pointer: Value<'_>) -> Value<'_> {
    let mut value = pointer;
    while value.is_instruction()
        && matches!(value.opcode(), Opcode::GetElementPtr | Opcode::BitCast | Opcode::AddrSpaceCast)
    {
        value = value.operand(0);
    }
    value
}
