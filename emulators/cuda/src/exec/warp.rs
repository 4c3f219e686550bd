//! A warp: its groups of lanes, and which of them runs next.

use emulator_core::{Cache, Counter, Frames, Random, Report, Segment};

use super::activation::{Activation, Group, State};
use super::copies::Copies;
use super::failure::{Failure, Wrong, status};
use super::weak::{View, Weak};
use super::{Launch, control, cross, data, memory};
use crate::lanes::{Lanes, lanes};
use crate::program::code::{ARGUMENTS, Code, NO_STATEMENT, Op, Source};

/// Rounds of a loop after which lanes that wait elsewhere in the function have their turn.
const ROUNDS: u32 = 2000;

/// What a warp finds around it.
pub(super) struct Context<'a, 'm> {
    pub(super) launch: &'a Launch<'m>,
    pub(super) cache: Cache<'m>,
    pub(super) printed: &'a mut Vec<u8>,
    pub(super) random: Option<Random>,
    /// With a seed: the stores that some thread may not have seen.
    pub(super) weak: Option<Weak>,
    /// The instructions that warps have executed.
    pub(super) executed: u64,
    /// What they have executed of each line, where a profile is made.
    pub(super) lines: Option<Counter<(u32, u32)>>,
}

/// What warps of a block share.
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
    /// The stacks of its lanes, one behind the other.
    pub(super) local: Segment,
    /// What each lane must see of memory.
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

    /// Puts all lanes at the begin of the kernel.
    pub(super) fn start(&mut self, launch: &Launch<'_>) {
        let function = launch.program.function(launch.program.entry).clone();
        let frame = (super::calls::LOCAL_TOP - function.frame) & !(function.frame_alignment - 1);
        let entry = self.enter(function, None, self.live, frame, 0);
        self.activation_mut(entry).registers[ARGUMENTS as usize] = Lanes::splat(launch.arguments);
        self.groups.push(Group { lanes: self.live, activation: entry, pc: 0, state: State::Ready, rounds: 0 });
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

    /// Runs until the warp waits, has ended or has executed `budget` instructions.
    pub(super) fn run(
        &mut self,
        context: &mut Context<'_, '_>,
        block: &mut BlockState,
        budget: &mut u64,
    ) -> Result<Pause, Box<Failure>> {
        while *budget > 0 {
            let Some(group) = self.choose(&mut context.random) else {
                if self.live == 0 {
                    return Ok(Pause::Ended);
                }
                if !cross::release(self, context, block)? {
                    return Ok(Pause::Waits);
                }
                continue;
            };
            if let Err(wrong) = self.run_group(group, context, block, budget) {
                return Err(self.failure(group, wrong, context, block));
            }
            self.groups.retain(|group| group.lanes != 0);
        }
        Ok(Pause::Turn)
    }

    /// The group that runs next, together with those at the same place: of the innermost call, at the lowest place.
    /// With random numbers, now and then any.
    fn choose(&mut self, random: &mut Option<Random>) -> Option<usize> {
        let ready = |group: &Group| group.state == State::Ready;
        if let [only] = &self.groups[..] {
            return ready(only).then_some(0);
        }
        let order = |i: &usize| {
            let group = &self.groups[*i];
            (group.rounds / ROUNDS, std::cmp::Reverse(self.activation(group.activation).depth), group.pc)
        };
        let candidates = || (0..self.groups.len()).filter(|i| ready(&self.groups[*i]));
        let mut chosen = candidates().min_by_key(order)?;
        if let Some(random) = random.as_mut() {
            let count = candidates().count();
            if count > 1 && random.below(4) == 0 {
                chosen = candidates().nth(random.below(count)).unwrap_or(chosen);
            }
            // Nothing makes lanes that have parted meet again but operations that wait for them (PTX ISA, "Independent
            // Thread Scheduling").
            if count > 1 && random.below(8) == 0 {
                return Some(chosen);
            }
        }
        let (activation, pc) = (self.groups[chosen].activation, self.groups[chosen].pc);
        for other in (0..self.groups.len()).filter(|other| *other != chosen) {
            let same = self.groups[other].activation == activation && self.groups[other].pc == pc;
            if same && ready(&self.groups[other]) {
                let lanes = std::mem::take(&mut self.groups[other].lanes);
                self.groups[chosen].lanes |= lanes;
                self.groups[chosen].rounds = self.groups[chosen].rounds.min(self.groups[other].rounds);
            }
        }
        Some(chosen)
    }

    /// Where the group must look again which one runs: at the place of the next group of the same call.
    fn next_meeting(&self, group: usize) -> usize {
        let own = &self.groups[group];
        let others = self.groups.iter().enumerate().filter(|(i, other)| {
            *i != group && other.activation == own.activation && other.lanes != 0 && other.pc > own.pc
        });
        others.map(|(_, other)| other.pc).min().unwrap_or(usize::MAX)
    }

    /// Runs a group until control flow parts or joins it.
    fn run_group(
        &mut self,
        index: usize,
        context: &mut Context<'_, '_>,
        block: &mut BlockState,
        budget: &mut u64,
    ) -> Result<(), Wrong> {
        let meeting = self.next_meeting(index);
        let function = self.activation(self.groups[index].activation).function.clone();
        loop {
            let group = &self.groups[index];
            let (pc, activation) = (group.pc, group.activation);
            if pc >= meeting || *budget == 0 {
                return Ok(());
            }
            *budget -= 1;
            let code = &function.code[pc];
            // An instruction may be several steps.
            let begins = pc.checked_sub(1).is_none_or(|before| function.code[before].statement != code.statement);
            let counts = begins && code.statement != NO_STATEMENT;
            context.executed += u64::from(counts);
            if let Some(lines) = context.lines.as_mut().filter(|_| counts) {
                lines.execute(code.place, group.lanes.count_ones());
            }
            let active = self.guarded(group, code)?;
            if active != 0 {
                let registers = &mut self.activations[activation].as_mut().expect("a group keeps its call").registers;
                if !data::execute(&function, registers, active, &code.op) {
                    if memory::execute(self, index, active, code, context, block)? {
                        self.groups[index].pc += 1;
                        continue;
                    }
                    if !control::execute(self, index, active, code, context, block)? {
                        return Ok(());
                    }
                    continue;
                }
            }
            self.groups[index].pc += 1;
        }
    }

    /// The lanes of the group in which the instruction's guard holds.
    fn guarded(&self, group: &Group, code: &Code) -> Result<u32, Wrong> {
        let Some((register, negated)) = code.guard else { return Ok(group.lanes) };
        let value = self.activation(group.activation).get(register);
        let what = if matches!(code.op, Op::Branch { .. }) { "a branch" } else { "whether a lane takes part" };
        self.defined(group.activation, register, group.lanes, what)?;
        let holds = lanes(group.lanes).filter(|lane| (value.bits[*lane] & 1 != 0) != negated);
        Ok(holds.fold(0, |all, lane| all | 1 << lane))
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
