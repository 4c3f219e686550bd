//! Barriers of a block.

use super::activation::{Group, State};
use super::failure::{Failure, Wrong, status};
use super::warp::{BlockState, Context, Warp};
use crate::lanes::lanes;
use crate::program::code::{BarrierKind, Op};

/// A group comes to a barrier. True if it goes on at once.
pub(super) fn arrive(warp: &mut Warp, index: usize, op: &Op, block: &mut BlockState) -> Result<bool, Wrong> {
    let Op::Barrier { kind, number, count, p, .. } = op else { return Ok(false) };
    let Group { lanes: active, activation, .. } = warp.groups[index];
    let lane = active.trailing_zeros() as usize;
    warp.defined(activation, *number, active, "which barrier is meant")?;
    if let Some(count) = count {
        warp.defined(activation, *count, active, "how many threads a barrier waits for")?;
    }
    if let Some((p, _)) = p {
        warp.defined(activation, *p, active, "the result of a barrier")?;
    }
    let call = warp.activation(activation);
    let which = call.get(*number).bits[lane];
    let count = count.map(|count| call.get(count).bits[lane]);
    if which > 15 {
        return Err(Wrong::new(status::ILLEGAL_INSTRUCTION, lane, format!("there is no barrier {which}")));
    }
    if count.is_some_and(|count| count % 32 != 0 || count == 0) {
        return Err(Wrong::new(status::ILLEGAL_INSTRUCTION, lane, "a barrier counts whole warps"));
    }
    if *kind == BarrierKind::Arrive {
        // Threads are counted by warps.
        block.arrived[which as usize] += 32;
        warp.groups[index].pc += 1;
        return Ok(true);
    }
    warp.groups[index].state = State::Block { number: which, count };
    Ok(false)
}

fn waits_at(group: &Group, which: u64) -> Option<Option<u64>> {
    match group.state {
        State::Block { number, count } if number == which => Some(count),
        _ => None,
    }
}

/// Lets the threads of complete barriers go on. False if there are none.
pub(super) fn release(
    warps: &mut [Warp],
    context: &Context<'_, '_>,
    block: &mut BlockState,
) -> Result<bool, Box<Failure>> {
    let mut any = false;
    for which in 0..16 {
        let groups = warps.iter().flat_map(|warp| &warp.groups);
        let counts: Vec<Option<u64>> = groups.filter_map(|group| waits_at(group, which)).collect();
        let Some(count) = counts.first() else { continue };
        if is_complete(warps, which, *count, block.arrived[which as usize]) {
            check_alignment(warps, which, context, block)?;
            if let Some(weak) = &context.weak {
                meet(warps, which, weak.now);
            }
            go_on(warps, which);
            block.arrived[which as usize] = 0;
            any = true;
        }
    }
    Ok(any)
}

fn is_complete(warps: &[Warp], which: u64, count: Option<u64>, arrived: u64) -> bool {
    let waiting = |warp: &Warp| {
        warp.groups.iter().filter(|group| waits_at(group, which).is_some()).fold(0, |all, group| all | group.lanes)
    };
    match count {
        None => warps.iter().all(|warp| waiting(warp) == warp.live),
        Some(count) => {
            let whole = warps.iter().filter(|warp| warp.live != 0 && waiting(warp) == warp.live).count() as u64;
            32 * whole + arrived >= count
        }
    }
}

/// An aligned barrier is one instruction for all threads of a warp.
fn check_alignment(
    warps: &[Warp],
    which: u64,
    context: &Context<'_, '_>,
    block: &BlockState,
) -> Result<(), Box<Failure>> {
    for warp in warps {
        let at = |group: &Group| (warp.activation(group.activation).function.index, group.pc);
        let mut waiting = (0..warp.groups.len()).filter(|i| waits_at(&warp.groups[*i], which).is_some());
        let Some(first) = waiting.next() else { continue };
        let Some(other) = waiting.find(|other| at(&warp.groups[*other]) != at(&warp.groups[first])) else { continue };
        let group = &warp.groups[other];
        let code = &warp.activation(group.activation).function.code[group.pc];
        if matches!(code.op, Op::Barrier { aligned: true, .. }) {
            let lane = group.lanes.trailing_zeros() as usize;
            let message = format!("threads of a warp wait at barrier {which} in different places");
            return Err(warp.failure(other, Wrong::new(status::LAUNCH_FAILED, lane, message), context, block));
        }
    }
    Ok(())
}

/// Threads that meet at a barrier see the stores that the others have made and seen (PTX ISA, "bar": it orders the
/// accesses of the threads that take part).
fn meet(warps: &mut [Warp], which: u64, now: u64) {
    let here = |warp: &Warp| {
        let waiting = warp.groups.iter().filter(|group| waits_at(group, which).is_some());
        waiting.fold(0, |all, group| all | group.lanes)
    };
    let seen = |warp: &Warp| lanes(here(warp)).map(|lane| warp.views[lane].seen_of_all()).max();
    let all = warps.iter().filter_map(seen).max().unwrap_or(0);
    for warp in warps {
        for lane in lanes(here(warp)) {
            warp.views[lane].meet(now, all);
        }
    }
}

fn go_on(warps: &mut [Warp], which: u64) {
    let (mut count, mut all, mut any) = (0, true, false);
    for warp in warps.iter() {
        for group in warp.groups.iter().filter(|group| waits_at(group, which).is_some()) {
            let call = warp.activation(group.activation);
            if let Op::Barrier { p: Some((p, negated)), .. } = call.function.code[group.pc].op {
                let value = call.get(p);
                for lane in lanes(group.lanes) {
                    let holds = (value.bits[lane] & 1 != 0) != negated;
                    count += u64::from(holds);
                    all &= holds;
                    any |= holds;
                }
            }
        }
    }
    for warp in warps {
        for i in 0..warp.groups.len() {
            let Group { lanes: active, activation, pc, .. } = warp.groups[i];
            if waits_at(&warp.groups[i], which).is_none() {
                continue;
            }
            let function = warp.activation(activation).function.clone();
            if let Op::Barrier { kind, d: Some(d), .. } = function.code[pc].op {
                let value = match kind {
                    BarrierKind::Count => count,
                    BarrierKind::All => u64::from(all),
                    _ => u64::from(any),
                };
                warp.activation_mut(activation).registers[d as usize].put(active, &[value; 32]);
            }
            warp.groups[i].state = State::Ready;
            warp.groups[i].pc += 1;
        }
    }
}

/// The failure of a block whose threads all wait for one another.
pub(super) fn deadlock(warps: &[Warp], context: &Context<'_, '_>, block: &BlockState) -> Option<Box<Failure>> {
    let threads: u32 = warps.iter().map(|warp| warp.live.count_ones()).sum();
    let waiting = |which: u64| -> u32 {
        let groups = warps.iter().flat_map(|warp| &warp.groups);
        groups.filter(|group| waits_at(group, which).is_some()).map(|group| group.lanes.count_ones()).sum()
    };
    let groups = warps.iter().flat_map(|warp| (0..warp.groups.len()).map(move |i| (warp, i)));
    // Lanes that wait for lanes are the cause where both are there.
    let by_lanes = |(warp, i): &(&Warp, usize)| matches!(warp.groups[*i].state, State::Lanes { .. });
    let mut all: Vec<(&Warp, usize)> = groups.collect();
    all.sort_by_key(|one| !by_lanes(one));
    let (warp, i) = all.into_iter().next()?;
    let group = &warp.groups[i];
    let lane = group.lanes.trailing_zeros() as usize;
    let message = match group.state {
        State::Lanes { mask, .. } => {
            let here = warp.groups.iter().filter(|other| other.state == group.state);
            let here = here.fold(0, |all, other| all | other.lanes);
            let missing = (mask & warp.live & !here).trailing_zeros();
            format!("lane {missing} is in the mask {mask:#010x} and does not come to this instruction")
        }
        State::Block { number, .. } => {
            format!(
                "barrier {number} is reached by {} of {threads} threads, and the others never come",
                waiting(number)
            )
        }
        State::Ready => return None,
    };
    Some(warp.failure(i, Wrong::new(status::LAUNCH_FAILED, lane, message), context, block))
}
