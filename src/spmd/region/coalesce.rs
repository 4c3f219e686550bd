//! Slots that a phi shares with the values that it takes.
//!
//! A loop with barriers in it hands a value on to its next iteration by a phi. The phi and the value have a slot each,
//! so every iteration copies one slot to the other, for each thread. Mostly the value is not needed any more where the
//! phi begins: both can be in one slot, and the copy stores a value that the slot already has (`slots::load_once` omits
//! the copy).
//! A register allocator calls this coalescing.

use std::collections::{BTreeSet, HashMap};

use super::slots::Step;
use crate::llvm::{Block, Function, Opcode, Value};

/// A value of a thread that is kept in memory across a stop.
pub(crate) struct KeptValue<'c> {
    pub(crate) value: Value<'c>,
    /// The alloca that contains it. Only loads and stores use it.
    pub(crate) slot: Value<'c>,
    pub(crate) step: Option<Step>,
    /// Whether all threads of the block have the same value.
    pub(crate) is_shared: bool,
}

/// Replaces the slots of phis by the slots of the values that they take, where no path needs both at once. Returns the
/// values whose slots remain.
pub(crate) fn coalesce<'c>(function: Function<'c>, mut kept: Vec<KeptValue<'c>>) -> Vec<KeptValue<'c>> {
    let mut number: HashMap<Value<'c>, usize> = kept.iter().enumerate().map(|(n, k)| (k.slot, n)).collect();
    let mut overlaps = overlaps(function, &number, kept.len());
    let mut gone = BTreeSet::new();
    for phi in 0..kept.len() {
        if gone.contains(&phi) {
            continue;
        }
        for taken in taken_slots(kept[phi].value) {
            let Some(other) = number.get(&taken).copied() else { continue };
            let (a, b) = (&kept[phi], &kept[other]);
            let alike =
                a.step == b.step && a.is_shared == b.is_shared && a.slot.allocated_type() == b.slot.allocated_type();
            if other == phi || !alike || overlaps[phi].contains(&other) {
                continue;
            }
            b.slot.replace_all_uses_with(a.slot);
            b.slot.erase();
            number.remove(&taken);
            gone.insert(other);
            let more = std::mem::take(&mut overlaps[other]);
            for third in more {
                overlaps[third].remove(&other);
                overlaps[third].insert(phi);
                overlaps[phi].insert(third);
            }
        }
    }
    let mut place = 0..;
    kept.retain(|_| place.next().is_none_or(|n| !gone.contains(&n)));
    kept
}

/// The slots from which a phi is loaded.
fn taken_slots<'c>(phi: Value<'c>) -> Vec<Value<'c>> {
    if !phi.is(Opcode::Phi) {
        return Vec::new();
    }
    let values = phi.incoming().into_iter().map(|(value, _)| value);
    values.filter(|value| value.is(Opcode::Load)).map(|load| load.operand(0)).collect()
}

/// For each slot, the slots whose values are needed at the same time.
fn overlaps<'c>(function: Function<'c>, number: &HashMap<Value<'c>, usize>, count: usize) -> Vec<BTreeSet<usize>> {
    let blocks = function.blocks();
    let mut needed: HashMap<Block<'c>, BTreeSet<usize>> = HashMap::new();
    let mut overlaps = vec![BTreeSet::new(); count];
    let mut changed = true;
    while changed {
        changed = false;
        for block in blocks.iter().rev() {
            let mut now: BTreeSet<usize> = BTreeSet::new();
            block.successors().iter().filter_map(|next| needed.get(next)).for_each(|next| now.extend(next));
            let mut instructions: Vec<_> = block.instructions().collect();
            instructions.reverse();
            for instruction in instructions {
                match instruction.opcode() {
                    Opcode::Load => now.extend(number.get(&instruction.operand(0))),
                    Opcode::Store => {
                        let Some(slot) = number.get(&instruction.operand(1)) else { continue };
                        now.remove(slot);
                        for other in &now {
                            overlaps[*slot].insert(*other);
                            overlaps[*other].insert(*slot);
                        }
                    }
                    _ => {}
                }
            }
            if needed.get(block) != Some(&now) {
                needed.insert(*block, now);
                changed = true;
            }
        }
    }
    overlaps
}
