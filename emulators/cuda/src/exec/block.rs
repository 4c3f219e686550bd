//! Blocks, and the order in which their warps run.

use emulator_core::{Cache, Counter, Segment};

use super::failure::Failure;
use super::warp::{BlockState, Context, Pause, Warp};
use super::weak::Weak;
use super::{Executed, Launch, barrier};

/// Instructions after which another warp has its turn.
const TURN: u64 = 200_000;
/// Blocks that take turns where blocks wait for one another.
const RESIDENT: usize = 32;

/// A block that runs.
struct Block {
    warps: Vec<Warp>,
    state: BlockState,
    /// The warp whose turn it is.
    next: usize,
}

/// Memory of blocks that have ended.
#[derive(Default)]
struct Spare {
    local: Vec<Segment>,
    shared: Vec<Segment>,
    registers: Vec<Vec<crate::lanes::Lanes>>,
}

/// Runs all blocks of a launch.
pub(super) fn run_all(launch: &Launch<'_>, printed: &mut Vec<u8>) -> Result<Executed, Box<Failure>> {
    let random = launch.schedule.random(launch.number);
    let weak = random.is_some().then(Weak::default);
    let lines = launch.counts_lines.then(Counter::default);
    let mut context = Context { launch, cache: Cache::new(launch.memory), printed, random, weak, executed: 0, lines };
    let (mut running, mut spare) = (Vec::new(), Spare::default());
    let mut started = 0;
    while started < launch.blocks() || !running.is_empty() {
        // In lockstep, another block begins only when the running ones wait for something.
        let wanted = if context.random.is_some() { 4 } else { 1 };
        while started < launch.blocks() && running.len() < wanted {
            running.push(begin(launch, started, &mut spare));
            started += 1;
        }
        if let Some(random) = &mut context.random {
            let (i, turn, wants_more) = (random.below(running.len()), 1 + random.below(256), random.below(64) == 0);
            if run(&mut running[i], &mut context, turn as u64)? {
                finish(running.swap_remove(i), &mut spare);
            } else if wants_more && started < launch.blocks() && running.len() < RESIDENT {
                // The others may wait for it.
                running.push(begin(launch, started, &mut spare));
                started += 1;
            }
            continue;
        }
        let mut i = 0;
        while i < running.len() {
            if run(&mut running[i], &mut context, TURN)? {
                finish(running.swap_remove(i), &mut spare);
                continue;
            }
            i += 1;
            if i == running.len() && started < launch.blocks() && running.len() < RESIDENT {
                running.push(begin(launch, started, &mut spare));
                started += 1;
            }
        }
    }
    Ok(Executed { instructions: context.executed, lines: context.lines })
}

fn begin(launch: &Launch<'_>, number: u64, spare: &mut Spare) -> Block {
    let [x, y, _] = launch.grid.map(u64::from);
    let index = [(number % x) as u32, (number / x % y) as u32, (number / (x * y)) as u32];
    let mut shared = spare.shared.pop().unwrap_or_else(|| Segment::new(launch.shared_end() as usize));
    shared.forget_all();
    let threads = launch.threads();
    let warps = (0..threads.div_ceil(32)).map(|warp| {
        let first = 32 * warp;
        let live = if threads - first >= 32 { u32::MAX } else { (1 << (threads - first)) - 1 };
        let local = spare.local.pop().unwrap_or_else(|| Segment::new(32 * launch.stack));
        let mut warp = Warp::new(first, live, local);
        warp.spare.append(&mut spare.registers);
        warp.start(launch);
        warp
    });
    Block { warps: warps.collect(), state: BlockState { index, number, shared, arrived: [0; 16] }, next: 0 }
}

fn finish(block: Block, spare: &mut Spare) {
    spare.shared.push(block.state.shared);
    for mut warp in block.warps {
        spare.registers.append(&mut warp.spare);
        spare.local.push(warp.local);
    }
}

/// Runs a block for some instructions; true if it has ended.
fn run(block: &mut Block, context: &mut Context<'_, '_>, mut left: u64) -> Result<bool, Box<Failure>> {
    while left > 0 {
        let Some(pause) = turn(block, context, &mut left)? else {
            if block.warps.iter().all(|warp| warp.live == 0) {
                return Ok(true);
            }
            if barrier::release(&mut block.warps, context, &mut block.state)? {
                continue;
            }
            return match barrier::deadlock(&block.warps, context, &block.state) {
                Some(failure) => Err(failure),
                None => Ok(false),
            };
        };
        let _ended_or_had_its_turn = pause;
    }
    Ok(false)
}

/// Runs the next warp that can run; none if all of them wait or have ended.
fn turn(block: &mut Block, context: &mut Context<'_, '_>, left: &mut u64) -> Result<Option<Pause>, Box<Failure>> {
    let count = block.warps.len();
    if let Some(random) = &mut context.random {
        block.next = random.below(count);
    }
    for step in 0..count {
        let i = (block.next + step) % count;
        let before = match &mut context.random {
            Some(random) => 1 + random.below(64) as u64,
            None => (*left).min(TURN / 4),
        };
        let mut budget = before;
        let pause = block.warps[i].run(context, &mut block.state, &mut budget)?;
        *left = left.saturating_sub((before - budget).max(1));
        if before != budget {
            // In lockstep a warp runs as long as it can.
            block.next = if pause == Pause::Turn { i + 1 } else { i };
            return Ok(Some(pause));
        }
    }
    Ok(None)
}
