//! Control flow, special registers, and other operations of a group as a whole.

use super::activation::Group;
use super::failure::{Wrong, status};
use super::warp::{BlockState, Context, Warp};
use super::{barrier, cross, print};
use crate::lanes::{Lanes, Word, lanes};
use crate::program::code::{Code, Op, Special};

/// Executes an instruction in the lanes where its guard holds. True if the group goes on, its program counter set.
pub(super) fn execute(
    warp: &mut Warp,
    index: usize,
    active: u32,
    code: &Code,
    context: &mut Context<'_, '_>,
    block: &mut BlockState,
) -> Result<bool, Wrong> {
    let group = warp.groups[index].clone();
    match &code.op {
        Op::Special { which, d } => {
            let value = special(*which, warp, context, block);
            warp.activation_mut(group.activation).registers[*d as usize].put(active, &value);
            warp.groups[index].pc += 1;
            return Ok(true);
        }
        Op::ActiveMask { d } => {
            let value = [u64::from(active); 32];
            warp.activation_mut(group.activation).registers[*d as usize].put(active, &value);
            warp.groups[index].pc += 1;
            return Ok(true);
        }
        Op::Branch { target } if active == group.lanes => {
            warp.groups[index].pc = *target;
            // Another group may be at the target, or at a lower place.
            return Ok(warp.groups.len() == 1);
        }
        _ => {}
    }
    if active != group.lanes {
        return Ok(parted(warp, index, active, code));
    }
    match &code.op {
        Op::NextRound { target } => {
            let alone = warp.groups.len() == 1;
            warp.groups[index].pc = *target;
            warp.groups[index].rounds += u32::from(!alone);
            Ok(alone)
        }
        Op::BranchIndex { a, targets } => branch_index(warp, index, *a, targets).map(|()| false),
        Op::Call { function, arguments, .. } => warp.call(index, function, arguments, context).map(|()| false),
        Op::Builtin { name, results, arguments } => {
            print::builtin(warp, index, (name, results, arguments), context, block)?;
            warp.groups[index].pc += 1;
            Ok(true)
        }
        Op::Return => warp.ret(index).map(|()| false),
        Op::Exit => {
            warp.exit(index);
            Ok(false)
        }
        Op::Cross { .. } | Op::Matrix { .. } => cross::arrive(warp, index, context, block),
        Op::Barrier { .. } => barrier::arrive(warp, index, &code.op, block),
        Op::Trap(what) => Err(Wrong::new(status::LAUNCH_FAILED, active.trailing_zeros() as usize, *what)),
        Op::Unsupported(reason) => {
            Err(Wrong::new(status::ILLEGAL_INSTRUCTION, active.trailing_zeros() as usize, reason.clone()))
        }
        other => {
            let message = format!("{other:?} is not modelled");
            Err(Wrong::new(status::ILLEGAL_INSTRUCTION, active.trailing_zeros() as usize, message))
        }
    }
}

/// Lanes in which the guard does not hold go on; the others branch, or stay and execute the instruction alone.
fn parted(warp: &mut Warp, index: usize, active: u32, code: &Code) -> bool {
    let mut taken = warp.groups[index].clone();
    taken.lanes = active;
    if let Op::Branch { target } = code.op {
        taken.pc = target;
    }
    warp.groups[index].lanes &= !active;
    warp.groups[index].pc += 1;
    warp.groups.push(taken);
    false
}

fn branch_index(warp: &mut Warp, index: usize, a: u32, targets: &[usize]) -> Result<(), Wrong> {
    let Group { lanes: active, activation, .. } = warp.groups[index];
    warp.defined(activation, a, active, "a branch")?;
    let value = warp.activation(activation).get(a);
    let first = active.trailing_zeros() as usize;
    let number = value.bits[first];
    let same = lanes(active).filter(|lane| value.bits[*lane] == number).fold(0, |all, lane| all | 1 << lane);
    let Some(target) = targets.get(number as usize) else {
        let message = format!("a branch to target {number} of {}", targets.len());
        return Err(Wrong::new(status::INVALID_PC, first, message));
    };
    if same != active {
        warp.part(index, same);
    }
    warp.groups[index].pc = *target;
    Ok(())
}

fn special(which: Special, warp: &Warp, context: &Context<'_, '_>, block: &BlockState) -> Word {
    let launch = context.launch;
    let of_lane = |f: &dyn Fn(u32) -> u64| -> Word { std::array::from_fn(|lane| f(lane as u32)) };
    let all = |value: u64| -> Word { Lanes::splat(value).bits };
    let warp_number = warp.first / 32;
    match which {
        Special::Thread(axis) => of_lane(&|lane| u64::from(launch.thread(warp.first + lane)[axis])),
        Special::BlockSize(axis) => all(launch.block[axis].into()),
        Special::Block(axis) => all(block.index[axis].into()),
        Special::GridSize(axis) => all(launch.grid[axis].into()),
        Special::Lane => of_lane(&u64::from),
        Special::Warp => all(warp_number.into()),
        Special::Warps => all(launch.threads().div_ceil(32).into()),
        Special::Multiprocessor => all(u64::from(block.index[0] % launch.multiprocessors)),
        Special::Multiprocessors => all(launch.multiprocessors.into()),
        Special::Grid => all(launch.number),
        Special::MaskEqual => of_lane(&|lane| 1 << lane),
        Special::MaskLess => of_lane(&|lane| (1 << lane) - 1),
        Special::MaskLessEqual => of_lane(&|lane| (2 << lane) - 1),
        Special::MaskGreater => of_lane(&|lane| 0xffff_ffff & !((2 << lane) - 1)),
        Special::MaskGreaterEqual => of_lane(&|lane| 0xffff_ffff & !((1 << lane) - 1)),
        Special::Clock => all(clock()),
        Special::ClockHigh => all(clock() >> 32),
        Special::DynamicShared => all(launch.dynamic_shared.into()),
        Special::TotalShared => all(launch.shared_end()),
        Special::Zero => all(0),
        Special::One => all(1),
    }
}

/// Nanoseconds of the host. A program may only rely on the fact that time goes on.
fn clock() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| since.as_nanos() as u64)
}
