//! Finds functions that kernels call without a check for a feature of the host's processor.
//!
//! Crates detect optional features once, and store the result in a static, a struct or a flag that they pass on. A
//! branch is therefore a guard if its condition is loaded from memory, is returned by a function, or is a parameter
//! with the type of a flag or an enum. A comparison of wider integers, such as a thread index with a length, is not a
//! guard.

use std::cell::OnceCell;
use std::collections::HashSet;

use crate::contract::builtin::Builtin;
use crate::llvm::{Block, Function, Opcode, Value};

/// The functions that `roots` reach by calls that are not control-dependent on a guard.
pub(crate) fn unguarded_functions<'c>(roots: &[Function<'c>]) -> HashSet<Function<'c>> {
    let mut seen: HashSet<_> = roots.iter().copied().collect();
    let mut work = roots.to_vec();
    while let Some(function) = work.pop() {
        let guards = function.blocks().into_iter().filter_map(|b| b.terminator()).filter(is_guard);
        // A large function may have many calls and many guards, so the blocks that a guard decides are found once.
        let guards: Vec<_> = guards.map(|guard| (guard, OnceCell::new())).collect();
        for call in function.instructions().filter(|i| i.is_call()) {
            let Some(callee) = call.called_function().filter(|f| !f.is_declaration() && !seen.contains(f)) else {
                continue;
            };
            let block = call.block();
            if !guards.iter().any(|(guard, decided)| decided.get_or_init(|| decided_by(*guard)).contains(&block)) {
                seen.insert(callee);
                work.push(callee);
            }
        }
    }
    seen
}

/// Whether the condition of a terminator may be a result of feature detection.
fn is_guard(terminator: &Value<'_>) -> bool {
    let Some(condition) = terminator.condition() else { return false };
    let mut seen = HashSet::new();
    let mut work = vec![condition];
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        if value.is_argument() && value.ty().int_width().is_none_or(|width| width < 32) {
            return true;
        }
        if !value.is_instruction() {
            continue;
        }
        match value.opcode() {
            Opcode::Load if value.operand(0).is(Opcode::Alloca) => {
                // Unoptimised code stores its variables in allocas.
                let stores = value.operand(0).users().into_iter().filter(|u| u.is(Opcode::Store));
                work.extend(stores.map(|store| store.operand(0)));
            }
            Opcode::Load | Opcode::AtomicRMW | Opcode::AtomicCmpXchg => return true,
            Opcode::Call | Opcode::Invoke => {
                let callee = value.called_function();
                let harmless = callee.is_some_and(|f| f.is_intrinsic() || Builtin::named(&f.name()).is_some());
                if !harmless {
                    return true;
                }
                work.extend(value.arguments());
            }
            _ => work.extend(value.operands()),
        }
    }
    false
}

/// The blocks that are reachable from some successors of a terminator, and not from others.
fn decided_by<'c>(terminator: Value<'c>) -> HashSet<Block<'c>> {
    let from = terminator.block();
    let reached = |start: Block<'c>| {
        let (mut reached, mut work) = (HashSet::from([start]), vec![start]);
        while let Some(at) = work.pop() {
            let next = at.terminator().filter(|_| at != from).map(|end| end.successors()).unwrap_or_default();
            work.extend(next.into_iter().filter(|next| reached.insert(*next)));
        }
        reached
    };
    let sets: Vec<_> = terminator.successors().into_iter().map(reached).collect();
    let Some((first, others)) = sets.split_first() else { return HashSet::new() };
    let by_all = others.iter().fold(first.clone(), |all, set| &all & set);
    let by_any = others.iter().fold(first.clone(), |any, set| &any | set);
    &by_any - &by_all
}
