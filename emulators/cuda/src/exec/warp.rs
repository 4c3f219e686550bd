//! A warp: its groups of lanes.

use emulator_core::{Cache, Counter, Frames, Random, Report, Segment};

use super::Launch;
use super::activation::{Activation, Group};
use super::copies::Copies;
use super::failure::{Failure, Wrong, status};
use super::weak::{View, Weak};
use crate::lanes::{Lanes, lanes};
use crate::program::code::{Code, Source};

/// The surroundings of a warp.
pub(super) struct Context<'a, 'm> {
    pub(super) launch: &'a Launch<'m>,
    pub(super) cache: Cache<'m>,
    pub(super) printed: &'a mut Vec<u8>,
    pub(super) random: Option<Random>,
    /// With a seed: the stores that some thread may not have seen.
    pub(super) weak: Option<Weak>,
    /// The instructions that warps have executed.
    pub(super) executed: u64,
    /// The counts of each line, where a profile is made.
    pub(super) lines: Option<Counter<(u32, u32)>>,
}

/// The state that the warps of a block share.
pub(super) struct BlockState {
    pub(super) index: [u32; 3],
    /// Its number in the grid.
    pub(super) number: u64,
    pub(super) shared: Segment,
    /// Threads that have arrived at each barrier and do not wait there.
    pub(super) arrived: [u64; 16],
}

/// Why a warp no longer runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// It has had its turn.
    Turn,
    /// All of its lanes wait.
    Waits,
    /// All of its lanes have ended.
    Ended,
}

/// 32 threads.
pub(super) struct Warp {
    /// The number of its first thread in the block.
    pub(super) first: u32,
    /// The lanes that have not ended.
    pub(super) live: u32,
    pub(super) groups: Vec<Group>,
    pub(super) activations: Vec<Option<Activation>>,
    free: Vec<usize>,
    pub(super) spare: Vec<Vec<Lanes>>,
    /// The stacks of its lanes, one after the other.
    pub(super) local: Segment,
    /// The stores that each lane must see.
    pub(super) views: [View; 32],
    /// The asynchronous copies of each lane, where there are any.
    pub(super) copies: Vec<Copies>,
}

impl Warp {
    pub(super) fn new(first: u32, live: u32, local: Segment) -> Warp {
        let (groups, activations, free, spare) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (views, copies) = ([View::default(); 32], Vec::new());
        Warp { first, live, groups, activations, free, spare, local, views, copies }
    }

    pub(super) fn activation(&self, index: usize) -> &Activation {
        self.activations[index].as_ref().expect("a group keeps its call")
    }

    pub(super) fn activation_mut(&mut self, index: usize) -> &mut Activation {
        self.activations[index].as_mut().expect("a group keeps its call")
    }

    pub(super) fn add_activation(&mut self, activation: Activation) -> usize {
        match self.free.pop() {
            Some(index) => {
                self.activations[index] = Some(activation);
                index
            }
            None => {
                self.activations.push(Some(activation));
                self.activations.len() - 1
            }
        }
    }

    pub(super) fn drop_activation(&mut self, index: usize) {
        if let Some(activation) = self.activations[index].take() {
            self.spare.push(activation.registers);
            self.free.push(index);
        }
    }

    /// Whether a register is defined in all of the lanes.
    pub(super) fn defined(&self, activation: usize, register: Source, active: u32, what: &str) -> Result<(), Wrong> {
        let value = self.activation(activation).get(register);
        if value.dirty & active == 0 {
            return Ok(());
        }
        match lanes(value.dirty & active).find(|lane| value.mask(*lane) != 0) {
            None => Ok(()),
            Some(lane) => {
                Err(Wrong::new(status::LAUNCH_FAILED, lane, format!("a value that was never written decides {what}")))
            }
        }
    }

    /// The failure of a lane of a group, with its place.
    pub(super) fn failure(
        &self,
        group: usize,
        wrong: Wrong,
        context: &Context<'_, '_>,
        block: &BlockState,
    ) -> Box<Failure> {
        let group = &self.groups[group];
        let module = &context.launch.program.module;
        let innermost = self.activation(group.activation);
        let code = code_at(&innermost.function.code, group.pc);
        let mut frames = Vec::new();
        let mut open = Some((group.activation, group.pc));
        while let Some((index, pc)) = open {
            let activation = self.activation(index);
            let statement = code_at(&activation.function.code, pc).statement as usize;
            frames.extend(module.tree.frames(activation.function.index, statement));
            open = activation.caller;
        }
        let report = Report {
            device: context.launch.device.to_owned(),
            kernel: module.tree.functions[context.launch.program.entry].name.clone(),
            message: wrong.message,
            frames: Frames(frames),
            other: None,
            instruction: self.text(innermost.function.index, code, context),
            block: block.index,
            thread: context.launch.thread(self.first + wrong.lane as u32),
        };
        Box::new(Failure { status: wrong.status, report })
    }

    fn text(&self, function: usize, code: &Code, context: &Context<'_, '_>) -> String {
        let body = context.launch.program.module.tree.functions[function].body.as_deref().unwrap_or_default();
        match body.get(code.statement as usize) {
            Some(crate::parser::Statement::Instruction(instruction)) => instruction.text.clone(),
            _ => String::new(),
        }
    }
}

/// The instruction at a place, or the last one.
fn code_at(code: &[Code], pc: usize) -> &Code {
    &code[pc.min(code.len() - 1)]
}

impl Launch<'_> {
    /// The index of a thread by its number in the block.
    pub(super) fn thread(&self, number: u32) -> [u32; 3] {
        let [x, y, _] = self.block;
        [number % x, number / x % y, number / (x * y)]
    }
}
