//! Operations of several lanes. A lane waits until all lanes of its mask that have not ended are at an operation of the
//! same kind; these need not be one instruction.

use super::activation::{Group, State};
use super::failure::{Failure, Wrong, status};
use super::matrix;
use super::warp::{BlockState, Context, Warp};
use crate::lanes::{Word, lanes};
use crate::program::code::{CrossLane, Op, Shuffle, Source, Vote};

/// A group comes to an operation. True if it goes on at once.
pub(super) fn arrive(
    warp: &mut Warp,
    index: usize,
    context: &mut Context<'_, '_>,
    block: &mut BlockState,
) -> Result<bool, Wrong> {
    let Group { lanes: active, activation, pc, .. } = warp.groups[index];
    let function = warp.activation(activation).function.clone();
    let (key, mask) = match function.code[pc].op {
        Op::Cross { key, mask, .. } => (key, mask),
        Op::Matrix { key, .. } => return wait(warp, index, (key, u32::MAX), context, block),
        _ => return Ok(false),
    };
    warp.defined(activation, mask, active, "the mask of an operation of several lanes")?;
    let masks = warp.activation(activation).get(mask);
    let first = active.trailing_zeros() as usize;
    let wanted = masks.bits[first] as u32;
    let same = lanes(active).filter(|lane| masks.bits[*lane] as u32 == wanted).fold(0, |all, lane| all | 1 << lane);
    if same != active {
        warp.part(index, same);
    }
    let active = same;
    if let Some(lane) = lanes(active & !wanted).next() {
        let message = format!("lane {lane} is not in the mask {wanted:#010x} of its operation");
        return Err(Wrong::new(status::LAUNCH_FAILED, lane, message));
    }
    wait(warp, index, (key, wanted), context, block)
}

/// Performs the operation of a group if no lane of the mask is missing. Otherwise the group waits.
fn wait(
    warp: &mut Warp,
    index: usize,
    (key, mask): (u32, u32),
    context: &mut Context<'_, '_>,
    block: &mut BlockState,
) -> Result<bool, Wrong> {
    if mask & warp.live & !warp.groups[index].lanes == 0 {
        perform(warp, &[index], context, block)?;
        return Ok(warp.groups.len() == 1);
    }
    warp.groups[index].state = State::Lanes { key, mask };
    Ok(false)
}

/// Performs an operation for which all lanes have come by now. False if there is none.
pub(super) fn release(
    warp: &mut Warp,
    context: &mut Context<'_, '_>,
    block: &mut BlockState,
) -> Result<bool, Box<Failure>> {
    for i in 0..warp.groups.len() {
        let State::Lanes { mask, .. } = warp.groups[i].state else { continue };
        let state = warp.groups[i].state;
        let all: Vec<usize> = (0..warp.groups.len()).filter(|other| warp.groups[*other].state == state).collect();
        let here = all.iter().fold(0, |here, other| here | warp.groups[*other].lanes);
        if mask & warp.live & !here == 0 {
            if let Err(wrong) = perform(warp, &all, context, block) {
                return Err(warp.failure(i, wrong, context, block));
            }
            return Ok(true);
        }
    }
    Ok(false)
}

/// The operands of the lanes that take part.
struct Operands {
    a: [Word; 3],
    undefined: [Word; 3],
    here: u32,
}

/// Performs an operation for the groups that take part, and lets them go on.
fn perform(
    warp: &mut Warp,
    groups: &[usize],
    context: &mut Context<'_, '_>,
    block: &mut BlockState,
) -> Result<(), Wrong> {
    let Group { activation, pc, .. } = warp.groups[groups[0]];
    if matches!(warp.activation(activation).function.code[pc].op, Op::Matrix { .. }) {
        return matrix::perform(warp, groups, context, block);
    }
    let mut operands = Operands { a: [[0; 32]; 3], undefined: [[0; 32]; 3], here: 0 };
    for index in groups {
        gather(warp, *index, &mut operands)?;
    }
    if let Some(weak) = &context.weak {
        meet(warp, groups, weak.now);
    }
    for index in groups {
        let Group { lanes: active, activation, pc, .. } = warp.groups[*index];
        let function = warp.activation(activation).function.clone();
        let Op::Cross { kind, d, p, .. } = function.code[pc].op else { continue };
        for lane in lanes(active) {
            let (value, mask, predicate) = result(kind, &operands, lane);
            let registers = &mut warp.activation_mut(activation).registers;
            if let Some(d) = d {
                registers[d as usize].put_lane(lane, value, mask);
            }
            if let Some(p) = p {
                registers[p as usize].put_lane(lane, u64::from(predicate), 0);
            }
        }
        warp.groups[*index].state = State::Ready;
        warp.groups[*index].pc += 1;
    }
    Ok(())
}

/// `bar.warp.sync` orders the accesses of its lanes; other operations do not (PTX ISA).
fn meet(warp: &mut Warp, groups: &[usize], now: u64) {
    let at_barrier = |index: &&usize| {
        let Group { activation, pc, .. } = warp.groups[**index];
        let op = &warp.activation(activation).function.code[pc].op;
        matches!(op, Op::Cross { kind: CrossLane::Barrier, .. })
    };
    let here = groups.iter().filter(at_barrier).fold(0, |here, index| here | warp.groups[*index].lanes);
    let all = lanes(here).map(|lane| warp.views[lane].seen_of_all()).max().unwrap_or(0);
    lanes(here).for_each(|lane| warp.views[lane].meet(now, all));
}

fn gather(warp: &Warp, index: usize, operands: &mut Operands) -> Result<(), Wrong> {
    let Group { lanes: active, activation, pc, .. } = warp.groups[index];
    let call = warp.activation(activation);
    let Op::Cross { kind, a, .. } = call.function.code[pc].op else { return Ok(()) };
    let decides: &[(usize, &str)] = match kind {
        CrossLane::Shuffle(_) => &[(1, "from which lane a shuffle reads"), (2, "the segments of a shuffle")],
        CrossLane::MatchAny | CrossLane::MatchAll => &[(0, "which lanes match")],
        _ => &[],
    };
    for (operand, what) in decides {
        warp.defined(activation, a[*operand], active, what)?;
    }
    let sources: [Source; 3] = a;
    for (i, source) in sources.into_iter().enumerate() {
        let value = call.get(source);
        for lane in lanes(active) {
            operands.a[i][lane] = value.bits[lane];
            operands.undefined[i][lane] = value.mask(lane);
        }
    }
    operands.here |= active;
    Ok(())
}

/// The value, its undefined bits and the predicate that a lane gets.
fn result(kind: CrossLane, operands: &Operands, lane: usize) -> (u64, u64, bool) {
    let Operands { a, undefined, here } = operands;
    let all_undefined = lanes(*here).fold(0, |all, other| all | undefined[0][other]);
    match kind {
        CrossLane::Shuffle(shuffle) => {
            let (source, in_range) = source_lane(shuffle, lane, a[1][lane], a[2][lane]);
            // The value of a lane that does not take part is undefined.
            let missing = if here >> source & 1 == 0 { 0xffff_ffff } else { undefined[0][source] };
            (a[0][source], missing, in_range)
        }
        CrossLane::Vote(vote, negated) => {
            let holds = lanes(*here).filter(|other| (a[0][*other] & 1 != 0) != negated);
            let ballot: u32 = holds.fold(0, |all, other| all | 1 << other);
            let unknown =
                lanes(*here).filter(|other| undefined[0][*other] & 1 != 0).fold(0, |all, other| all | 1 << other);
            vote_result(vote, ballot, *here, unknown)
        }
        CrossLane::MatchAny => {
            let same =
                lanes(*here).filter(|other| a[0][*other] == a[0][lane]).fold(0, |all, other| all | 1u64 << other);
            (same, 0, true)
        }
        CrossLane::MatchAll => {
            let same = lanes(*here).all(|other| a[0][other] == a[0][lane]);
            (if same { u64::from(*here) } else { 0 }, 0, same)
        }
        CrossLane::Reduce(f) => {
            let value = lanes(*here).map(|other| a[0][other]).reduce(f).unwrap_or(0);
            (value, if all_undefined == 0 { 0 } else { 0xffff_ffff }, true)
        }
        CrossLane::Elect => {
            let leader = here.trailing_zeros() as usize;
            (leader as u64, 0, leader == lane)
        }
        CrossLane::Barrier => (0, 0, true),
    }
}

fn vote_result(vote: Vote, ballot: u32, here: u32, unknown: u32) -> (u64, u64, bool) {
    let mask = u64::from(unknown != 0);
    match vote {
        Vote::All => (u64::from(ballot == here), mask, true),
        Vote::Any => (u64::from(ballot != 0), mask, true),
        Vote::Uniform => (u64::from(ballot == here || ballot == 0), mask, true),
        Vote::Ballot => (u64::from(ballot), u64::from(unknown), true),
    }
}

/// The lane that is read, and whether it is in the lane's segment. `c` has the clamp in its lowest five bits and the
/// mask of segments in bits 8 to 12.
fn source_lane(shuffle: Shuffle, lane: usize, b: u64, c: u64) -> (usize, bool) {
    let (lane, b) = (lane as i64, (b & 31) as i64);
    let (clamp, segments) = ((c & 31) as i64, (c >> 8 & 31) as i64);
    let highest = (lane & segments) | (clamp & !segments);
    let lowest = lane & segments;
    let (from, in_range) = match shuffle {
        Shuffle::Up => (lane - b, lane - b >= highest),
        Shuffle::Down => (lane + b, lane + b <= highest),
        Shuffle::Butterfly => (lane ^ b, (lane ^ b) <= highest),
        Shuffle::Index => {
            let from = lowest | (b & !segments);
            (from, from <= highest)
        }
    };
    (if in_range { (from & 31) as usize } else { lane as usize }, in_range)
}
