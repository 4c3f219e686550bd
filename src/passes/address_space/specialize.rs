//! Clones internal functions that are called with pointers to different address spaces, once for each.
//!
//! Only parameters through which the function accesses memory are considered, and only direct calls are redirected to a
//! clone. The original function remains for calls with pointers that may lead anywhere, unless no such call is left.

use crate::analysis::pointer_flow::PointerFlow;
use crate::llvm::{Function, Opcode, Value};

/// The largest number of clones of a function.
const MOST_COPIES: usize = 8;
/// Functions with more instructions are not cloned.
const MOST_INSTRUCTIONS: usize = 4096;

/// The address space of each parameter, where one is known.
type Spaces = Vec<Option<u32>>;

/// A clone of a function.
struct Specialized<'c> {
    original: Function<'c>,
    spaces: Spaces,
    copy: Function<'c>,
}

/// The clones, in the order of their creation.
#[derive(Default)]
pub(super) struct Copies<'c> {
    made: Vec<Specialized<'c>>,
}

impl<'c> Copies<'c> {
    /// Creates the clones that the calls in a module need now. Returns whether there was one.
    pub(super) fn specialize(&mut self, flow: &PointerFlow<'_, 'c>) -> bool {
        let mut changed = false;
        for function in &flow.functions {
            changed |= self.specialize_function(flow, *function);
        }
        changed
    }

    /// Erases the functions that were replaced by clones.
    pub(super) fn erase_replaced(&self) {
        let mut replaced: Vec<_> = Vec::new();
        for each in &self.made {
            if !replaced.contains(&each.original) {
                replaced.push(each.original);
            }
        }
        // A replaced function may be used only by another replaced one.
        while let Some(unused) = replaced.iter().position(|f| !f.is_used()) {
            replaced.remove(unused).erase_global();
        }
    }

    fn specialize_function(&mut self, flow: &PointerFlow<'_, 'c>, function: Function<'c>) -> bool {
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

    fn copy(&mut self, function: Function<'c>, spaces: Spaces) -> Option<Function<'c>> {
        let original = self.made.iter().find(|each| each.copy == function).map_or(function, |each| each.original);
        let of_original = || self.made.iter().filter(|each| each.original == original);
        if let Some(known) = of_original().find(|each| each.spaces == spaces) {
            return (known.copy != function).then_some(known.copy);
        }
        if of_original().count() >= MOST_COPIES {
            return None;
        }
        let copy = original.clone_function();
        copy.set_name(&original.name());
        self.made.push(Specialized { original, spaces, copy });
        Some(copy)
    }
}

/// Whether memory is accessed through a pointer: here, or possibly in a function that receives it.
fn reaches_memory(pointer: Value<'_>) -> bool {
    let mut seen = vec![pointer];
    let mut next = 0;
    while let Some(value) = seen.get(next).copied() {
        next += 1;
        for user in value.users().into_iter().filter(|user| user.is_instruction()) {
            match user.opcode() {
                Opcode::Load | Opcode::AtomicRMW | Opcode::AtomicCmpXchg | Opcode::Call => return true,
                Opcode::Store if user.operand(1) == value => return true,
                Opcode::GetElementPtr | Opcode::Phi | Opcode::Select | Opcode::Freeze if !seen.contains(&user) => {
                    seen.push(user);
                }
                _ => {}
            }
        }
    }
    false
}
