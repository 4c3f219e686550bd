//! For the row "bitonic sort": lets a thread store the values that are in shared memory already, instead of a branch
//! around the stores.
//!
//! The steps of a sorting network are `if a > b { keys[i] = b; keys[j] = a }`, where `a` and `b` were loaded from the
//! same places. A processor mispredicts half of these branches. Without the branch, each thread stores either the new
//! values or those that it has loaded. This is right for memory of the block only: one thread of the host runs the
//! whole block, so no other one can have stored there since. In global memory, another block may own the place.

use std::mem::offset_of;

use crate::analysis::effects::{has_effect, is_ordered, made_of};
use crate::analysis::paths::Predecessors;
use crate::contract::abi::CpuBlock;
use crate::llvm::{Block, Builder, Function, Opcode, Value};
use crate::spmd::region::position::loaded_field;
use crate::spmd::tuning::EXCHANGED_STORES;

/// Removes such branches from a function. `block` is its parameter with the block.
pub(crate) fn store_always<'c>(function: Function<'c>, block: Value<'c>) {
    let blocks = function.blocks();
    let mut predecessors = Predecessors::among(&blocks);
    for stores in blocks {
        let Some(exchange) = Exchange::find(stores, block, &predecessors) else { continue };
        predecessors.remove(stores, exchange.join);
        exchange.apply();
    }
}

/// A block of stores that a branch guards.
struct Exchange<'c> {
    before: Block<'c>,
    stores: Block<'c>,
    join: Block<'c>,
    /// Whether threads store if the condition is true.
    if_true: bool,
    /// Each store with the value that is in its place otherwise.
    loaded: Vec<(Value<'c>, Value<'c>)>,
}

impl<'c> Exchange<'c> {
    fn find(stores: Block<'c>, block: Value<'c>, predecessors: &Predecessors<'c>) -> Option<Self> {
        let before = predecessors.only(stores)?;
        let [join] = stores.successors()[..] else { return None };
        let end = before.terminator()?;
        let if_true = match end.successors()[..] {
            [a, b] if end.is(Opcode::Br) && a == stores && b == join => true,
            [a, b] if end.is(Opcode::Br) && b == stores && a == join => false,
            _ => return None,
        };
        let all: Vec<_> = stores.instructions().filter(|i| !i.is_terminator()).collect();
        if all.is_empty() || all.len() > EXCHANGED_STORES {
            return None;
        }
        let known = known_values(before, predecessors);
        let mut loaded = Vec::new();
        for store in all {
            let is_plain = store.is(Opcode::Store) && !is_ordered(store);
            if !is_plain || !is_shared(store.operand(1), block) {
                return None;
            }
            let is_same = |load: &&Value<'c>| load.operand(0) == store.operand(1) && load.ty() == store.operand(0).ty();
            loaded.push((store, *known.iter().find(is_same)?));
        }
        // If several threads store in one place, the value of the last one remains. This one must not be a thread that
        // only puts back the value that it has loaded, as is possible with `if keys[i] < x { keys[i] = x }`.
        let is_exchanged = |(store, _): &(Value<'c>, Value<'c>)| {
            loaded.iter().any(|(other, value)| other != store && *value == store.operand(0))
        };
        let values: Vec<_> = loaded.iter().map(|(_, value)| *value).collect();
        let is_right = loaded.iter().all(is_exchanged) && compares(end.condition()?, &values);
        is_right.then_some(Exchange { before, stores, join, if_true, loaded })
    }

    fn apply(self) {
        let end = self.before.terminator().expect("it was looked at");
        let condition = end.condition().expect("it has two successors");
        let builder = Builder::before(end);
        let choose = |stored: Value<'c>, otherwise: Value<'c>| match self.if_true {
            true => builder.select(condition, stored, otherwise, ""),
            false => builder.select(condition, otherwise, stored, ""),
        };
        for (store, loaded) in self.loaded {
            let value = choose(store.operand(0), loaded);
            store.move_to(&builder);
            store.set_operand(0, value);
            store.drop_annotations();
        }
        let phis: Vec<_> = self.join.instructions().take_while(|i| i.is(Opcode::Phi)).collect();
        for phi in phis {
            let incoming = phi.incoming();
            let value_from = |from: Block<'c>| incoming.iter().find(|(_, b)| *b == from).map(|(value, _)| *value);
            let [Some(stored), Some(otherwise)] = [self.stores, self.before].map(value_from) else { continue };
            let value = choose(stored, otherwise);
            let merged = Builder::before(phi).phi(phi.ty(), "");
            for (other, from) in incoming.into_iter().filter(|(_, b)| ![self.stores, self.before].contains(b)) {
                merged.add_incoming(other, from);
            }
            merged.add_incoming(value, self.before);
            phi.replace_all_uses_with(merged);
            phi.erase();
        }
        builder.br(self.join);
        end.erase();
        self.stores.terminator().expect("it was looked at").erase();
        self.stores.erase();
    }
}

/// Whether each part of a condition depends on the values that a thread has loaded. If a part depends on the thread
/// alone, as in `i < j && keys[i] > keys[j]`, a thread that exchanges nothing may have the places of another one.
/// In vectors, both have loaded before either stores, and the former would undo the exchange of the latter.
fn compares<'c>(condition: Value<'c>, values: &[Value<'c>]) -> bool {
    if !condition.is_instruction() {
        return false;
    }
    let [first, others @ ..] = &condition.operands()[..] else { return false };
    let all = |parts: &[Value<'c>]| parts.iter().all(|part| part.is_constant() || compares(*part, values));
    match condition.opcode() {
        Opcode::Select if others.iter().any(|v| v.is_constant()) => compares(*first, values) && all(others),
        Opcode::Select => all(others),
        Opcode::And | Opcode::Or => compares(*first, values) && all(others),
        _ => depends(condition, values),
    }
}

fn depends<'c>(value: Value<'c>, on: &[Value<'c>]) -> bool {
    made_of(value, |v| !v.is(Opcode::Phi)).into_iter().any(|part| on.contains(&part))
}

/// The loads whose memory has not changed at the end of a block.
fn known_values<'c>(end: Block<'c>, predecessors: &Predecessors<'c>) -> Vec<Value<'c>> {
    let (mut known, mut at, mut seen) = (Vec::new(), end, Vec::new());
    loop {
        for instruction in at.instructions().collect::<Vec<_>>().into_iter().rev() {
            match instruction.opcode() {
                Opcode::Load if !is_ordered(instruction) => known.push(instruction),
                _ if has_effect(instruction) => return known,
                _ => {}
            }
        }
        seen.push(at);
        match predecessors.only(at).filter(|before| !seen.contains(before)) {
            Some(before) => at = before,
            None => return known,
        }
    }
}

/// Whether an address is in the shared memory of the block.
fn is_shared<'c>(address: Value<'c>, block: Value<'c>) -> bool {
    let fields = [offset_of!(CpuBlock, shared), offset_of!(CpuBlock, dynamic_shared)];
    loaded_field(address.base(), block).is_some_and(|field| fields.contains(&field))
}
