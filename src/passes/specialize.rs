//! Makes copies of internal functions that are called with pointers into different address spaces, one copy for each.
//!
//! Only parameters that the function reads or writes memory through count, and only direct calls go to a copy. The
//! function itself stays for what is called with pointers that may lead anywhere, unless nothing calls it any more.

use std::collections::{BTreeMap, BTreeSet};

use super::pointer_flow::PointerFlow;
use crate::llvm::{Opcode, Value};

/// More copies of one function are not made.
const MOST_COPIES: usize = 8;
/// Functions of more instructions are not copied.
const MOST_INSTRUCTIONS: usize = 4096;

/// The address space of each parameter, where one is known.
type Spaces = Vec<Option<u32>>;

/// The copies made so far: of which function, and for which spaces.
#[derive(Default)]
pub(super) struct Copies<'c> {
    made: BTreeMap<(Value<'c>, Spaces), Value<'c>>,
    original: BTreeMap<Value<'c>, Value<'c>>,
}

impl<'c> Copies<'c> {
    /// Makes those that the calls in a module ask for now; whether there was one.
    pub(super) fn specialize(&mut self, flow: &PointerFlow<'_, 'c>) -> bool {
        let mut changed = false;
        for function in &flow.functions {
            changed |= self.specialize_function(flow, *function);
        }
        changed
    }

    /// Removes the functions that copies have taken the place of.
    pub(super) fn erase_replaced(&self) {
        let replaced: BTreeSet<_> = self.original.values().copied().collect();
        for function in replaced.into_iter().filter(|f| !f.is_used()) {
            function.erase_global();
        }
    }

    fn specialize_function(&mut self, flow: &PointerFlow<'_, 'c>, function: Value<'c>) -> bool {
        let parameters = function.parameters();
        let wanted: Vec<bool> = parameters.iter().map(|p| flow.space(*p).is_none() && reaches_memory(*p)).collect();
        if !wanted.contains(&true) || function.instructions().nth(MOST_INSTRUCTIONS).is_some() {
            return false;
        }
        let live = |user: &Value<'c>| user.is_plain_call_of(function) && flow.functions.contains(&user.function());
        let mut changed = false;
        for call in function.users().into_iter().filter(live) {
            let arguments = call.arguments();
            let space = |i: usize| flow.space(if wanted[i] { arguments[i] } else { parameters[i] });
            let spaces: Spaces = (0..parameters.len()).map(space).collect();
            let gains = spaces.iter().zip(&wanted).any(|(space, wanted)| *wanted && space.is_some());
            if let Some(copy) = gains.then(|| self.copy(function, spaces)).flatten() {
                call.set_callee(copy);
                changed = true;
            }
        }
        changed
    }

    fn copy(&mut self, function: Value<'c>, spaces: Spaces) -> Option<Value<'c>> {
        let original = self.original.get(&function).copied().unwrap_or(function);
        let key = (original, spaces);
        if let Some(copy) = self.made.get(&key) {
            return (*copy != function).then_some(*copy);
        }
        if self.original.values().filter(|o| **o == original).count() >= MOST_COPIES {
            return None;
        }
        let copy = original.clone_function();
        copy.set_name(&original.name());
        let _new = self.original.insert(copy, original);
        let _new = self.made.insert(key, copy);
        Some(copy)
    }
}

/// Whether memory is read or written through a pointer: here, or perhaps in a function it is given to.
fn reaches_memory(pointer: Value<'_>) -> bool {
    let mut seen = vec![pointer];
    let mut next = 0;
    while let Some(value) = seen.get(next).copied() {
        next += 1;
        for user in value.users().into_iter().filter(|user| user.is_instruction()) {
            match user.opcode() {
                Opcode::LLVMLoad | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMCall => return true,
                Opcode::LLVMStore if user.operand(1) == value => return true,
                Opcode::LLVMGetElementPtr | Opcode::LLVMPHI | Opcode::LLVMSelect | Opcode::LLVMFreeze
                    if !seen.contains(&user) =>
                {
                    seen.push(user);
                }
                _ => {}
            }
        }
    }
    false
}
