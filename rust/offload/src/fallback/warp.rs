//! Operations of the lanes of a warp. `docs/contract.md` has the rules for who takes part.

use core::panic::Location;
use std::format;
use std::string::String;
use std::vec::Vec;

use super::LANES;
use super::block::{self, Block, State};
use super::failure::{Failure, Panic};
use super::operation::{Kind, Operation};
use crate::abi::status;

/// Does an operation at `place` together with other lanes. The caller is in a kernel.
#[track_caller]
pub(crate) fn take_part(
    place: &'static Location<'static>,
    kind: Kind,
    mask: Option<u64>,
    word: u64,
    argument: u32,
) -> u64 {
    let lane = block::lane();
    let is_in = mask.is_none_or(|mask| mask >> lane & 1 == 1);
    assert!(is_in, "lane {lane} does what only the lanes of its mask do, and is not in the mask");
    block::with(|block| {
        if mask.is_none() {
            block.running().path.borrow_mut().reach(place);
        }
        block.wait(State::InOperation(Operation { kind, mask, word, argument, place }))
    })
    .unwrap_or(word)
}

/// The lanes of the warp whose first thread has the rank `first`, with their operations.
fn operations(block: &Block<'_>, first: usize) -> Vec<(u32, Operation)> {
    let lanes = block.threads[first..].iter().take(LANES as usize).zip(0..);
    lanes
        .filter_map(|(thread, lane)| match thread.state.get() {
            State::InOperation(operation) => Some((lane, operation)),
            _ => None,
        })
        .collect()
}

fn bits(lanes: impl IntoIterator<Item = u32>) -> u64 {
    lanes.into_iter().fold(0, |mask, lane| mask | 1 << lane)
}

/// Lets every operation of a warp take place whose lanes are there, and adds the ranks of these lanes to `ready`.
pub(super) fn resolve(block: &Block<'_>, first: usize, ready: &mut Vec<usize>) {
    let waiting = operations(block, first);
    let mut left = bits(waiting.iter().map(|(lane, _)| *lane));
    // Nobody waits for lanes that have returned, or for which the block has no thread.
    let present = block.threads[first..].iter().take(LANES as usize).zip(0..);
    let alive = bits(present.filter(|(thread, _)| !matches!(thread.state.get(), State::Ended)).map(|(_, lane)| lane));
    let before = ready.len();
    for (lane, operation) in &waiting {
        let Some(mask) = operation.mask else { continue };
        if left >> lane & 1 == 0 {
            continue;
        }
        let alike = |other: &Operation| (other.kind, other.mask) == (operation.kind, operation.mask);
        let there = bits(waiting.iter().filter(|(_, other)| alike(other)).map(|(lane, _)| *lane));
        if there == mask & alive {
            perform(block, first, &waiting, there, ready);
            left &= !there;
        }
    }
    if ready.len() != before {
        return;
    }
    let free = waiting.iter().filter(|(_, operation)| operation.mask.is_none());
    let free = free.copied().collect::<Vec<_>>();
    if free.is_empty() {
        return;
    }
    match choose(block, first, &waiting, &free) {
        Ok(lanes) => perform(block, first, &waiting, lanes, ready),
        Err(reason) => {
            let (name, place) = (&block.launch.name, free[0].1.place);
            let text = format!(
                "kernel `{name}` needs offloadc: which lanes take part in the operation of a warp at {place} cannot be \
                 told in host code, because {reason}; help: {}, or name the lanes with a mask, as `_sync` operations do",
                super::HELP
            );
            block.fail(Failure::new(status::FAILED, text));
        }
    }
}

/// The lanes that do their operation without a mask next: those on the least path.
fn choose(
    block: &Block<'_>,
    first: usize,
    waiting: &[(u32, Operation)],
    free: &[(u32, Operation)],
) -> Result<u64, String> {
    let present = block.threads[first..].iter().take(LANES as usize);
    if present.filter(|thread| !matches!(thread.state.get(), State::Ended)).count() == 1 {
        return Ok(bits(free.iter().map(|(lane, _)| *lane)));
    }
    if waiting.len() != free.len() {
        return Err("other lanes of the warp wait in an operation with a mask".into());
    }
    let path = |lane: u32| block.threads[first + lane as usize].path.borrow();
    if let Some(reason) = free.iter().find_map(|(lane, _)| path(*lane).unknown()) {
        return Err(reason.into());
    }
    let least = free.iter().map(|(lane, _)| *lane).min_by(|a, b| path(*a).cmp(&path(*b))).unwrap_or(0);
    let (kind, same) = (free.iter().find(|(lane, _)| *lane == least).map(|(_, o)| o.kind), path(least));
    let lanes = free.iter().filter(|(lane, o)| *path(*lane) == *same && Some(o.kind) == kind);
    Ok(bits(lanes.map(|(lane, _)| *lane)))
}

/// Computes the results of the lanes in `lanes`.
fn perform(block: &Block<'_>, first: usize, waiting: &[(u32, Operation)], lanes: u64, ready: &mut Vec<usize>) {
    let there = || waiting.iter().filter(|(lane, _)| lanes >> lane & 1 == 1);
    let ballot = bits(there().filter(|(_, operation)| operation.word != 0).map(|(lane, _)| *lane));
    for (lane, operation) in there() {
        let (lane, argument) = (*lane, operation.argument);
        let of = |source: Option<u32>| {
            let found = there().find(|(other, _)| Some(*other) == source);
            found.map_or(operation.word, |(_, other)| other.word)
        };
        let result = match operation.kind {
            Kind::Shuffle => of(Some(argument)),
            Kind::ShuffleXor => of(Some(lane ^ argument)),
            Kind::ShuffleUp => of(lane.checked_sub(argument)),
            Kind::ShuffleDown => of(lane.checked_add(argument)),
            Kind::Ballot => ballot,
            Kind::Any => (ballot != 0).into(),
            Kind::All => (ballot == lanes).into(),
            Kind::ActiveMask => lanes,
            Kind::Sync => 0,
        };
        let rank = first + lane as usize;
        block.threads[rank].result.set(result);
        ready.push(rank);
    }
}

/// Reports the first lane that waits in vain. Every thread of the block waits or has ended, and those of `operating`
/// are in operations with masks.
pub(super) fn fail(block: &Block<'_>, operating: &[usize]) {
    for &rank in operating {
        let State::InOperation(operation) = block.threads[rank].state.get() else { continue };
        let (first, lane) = (rank - rank % LANES as usize, rank as u32 % LANES);
        let mask = operation.mask.unwrap_or(0) & u64::from(u32::MAX);
        let absent = |other: &u32| match block.threads.get(first + *other as usize).map(|thread| thread.state.get()) {
            Some(State::InOperation(at)) => (at.kind, at.mask) != (operation.kind, operation.mask),
            Some(State::Ended) | None => false,
            Some(_) => true,
        };
        let Some(other) = (0..LANES).filter(|other| mask >> other & 1 == 1).find(absent) else { continue };
        let message = format!("lane {lane} waits for lane {other} of its mask, and no lane of the warp can go on");
        return block.fail_with_panic(rank, &Panic::new(operation.place, message));
    }
}
