//! Executes all blocks of a launch.

use emulator_core::{Frames, Memory, Other, Report, Schedule};

use super::group::{Culprit, Group};
use super::setup::Start;
use crate::object::code::Code;
use crate::object::frames::Functions;
use crate::object::image::Image;
use crate::wrong::Wrong;

/// How many blocks run at once. These may wait for one another.
const RESIDENT: usize = 8;
/// How many instructions a wave executes before another one gets its turn.
const TURN: u64 = 4096;
/// How many calls a report looks at: more than it shows.
const MOST_CALLS: usize = 32;

/// The indices of all blocks, in the order in which they begin.
fn blocks(grid: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let [x, y, z] = grid.map(u64::from);
    (0..x * y * z).map(move |i| [(i % x) as u32, (i / x % y) as u32, (i / x / y) as u32])
}

/// Executes a launch to its end, or to its first error. Returns how many instructions the waves have executed.
pub(crate) fn launch(
    start: &Start,
    image: &Image,
    code: &mut Code,
    memory: &Memory,
    schedule: Schedule,
    number: u64,
    device: &str,
) -> Result<u64, Box<Report>> {
    let shared = start.kernel.descriptor.shared_bytes + start.extent.dynamic_shared as usize;
    let mut waiting = blocks(start.extent.grid);
    let mut groups = Vec::new();
    let mut random = schedule.random(number);
    let mut clock = 0;
    let early =
        |wrong: Wrong, block| Culprit { wrong, block, wave: 0, pc: start.kernel.entry, calls: Vec::new(), lane: 0 };
    let told = |culprit: &Culprit, code: &mut Code| report(culprit, start, image, code, device);
    for block in waiting.by_ref().take(RESIDENT) {
        groups.push(Group::new(start, block, shared).map_err(|wrong| told(&early(wrong, block), code))?);
    }
    while !groups.is_empty() {
        let mut goes_on = false;
        for group in &mut groups {
            let outcome = group.run(memory, code, &mut clock, TURN, &mut random);
            goes_on |= outcome.map_err(|culprit| told(&culprit, code))?;
        }
        for group in &mut groups {
            let outcome = if group.has_ended() { group.end(memory) } else { Ok(()) };
            let outcome = outcome.and_then(|()| if goes_on { group.grow_old(memory, &mut random) } else { Ok(()) });
            outcome.map_err(|wrong| told(&early(wrong, group.block), code))?;
        }
        for group in groups.iter_mut().filter(|group| group.has_ended()) {
            let Some(block) = waiting.next() else { break };
            group.renew(start, block).map_err(|wrong| told(&early(wrong, block), code))?;
        }
        groups.retain(|group| !group.has_ended());
    }
    Ok(clock)
}

fn report(culprit: &Culprit, start: &Start, image: &Image, code: &mut Code, device: &str) -> Box<Report> {
    let instruction = code.at(culprit.pc).map(|number| code.instruction(number).text.clone());
    let Culprit { wrong, block, wave, pc, calls, lane } = culprit;
    let functions = Functions::read(&image.file);
    let named = |address: u64| image.function(address).unwrap_or_default();
    let frames = |address: u64| functions.frames(address.wrapping_sub(image.base), named(address));
    let other = wrong.other.and_then(|address| {
        let number = code.at(address)?;
        Some(Other { frames: Frames(frames(address)), instruction: code.instruction(number).text.clone() })
    });
    // The instruction before the place to which a function returns has called it. Of a deep recursion, the innermost
    // calls and the outermost one are enough.
    let deep = calls.len().saturating_sub(MOST_CALLS);
    let kept = calls.iter().take(1).chain(calls.iter().skip(deep.max(1)));
    let called = kept.rev().map(|address| address.wrapping_sub(4));
    let around = Frames(std::iter::once(*pc).chain(called).flat_map(frames).collect());
    Box::new(Report {
        device: device.to_owned(),
        kernel: start.kernel.notes.name.clone(),
        message: wrong.message.clone(),
        frames: around,
        other,
        instruction: instruction.unwrap_or_default(),
        block: *block,
        thread: start.thread(*wave, *lane),
    })
}
