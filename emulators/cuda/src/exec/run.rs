//! Runs a warp: which of its groups of lanes is next, and each instruction.

use emulator_core::Random;

use super::activation::{Group, State};
use super::failure::{Failure, Wrong};
use super::warp::{BlockState, Context, Pause, Warp};
use super::{Launch, control, cross, data, memory};
use crate::lanes::{Lanes, lanes};
use crate::program::code::{ARGUMENTS, Code, NO_STATEMENT, Op};

/// Rounds of a loop after which lanes that wait elsewhere in the function have their turn.
const ROUNDS: u32 = 2000;

impl Warp {
    /// Puts all lanes at the begin of the kernel.
    pub(super) fn start(&mut self, launch: &Launch<'_>) {
        let function = launch.program.function(launch.program.entry).clone();
        let frame = (super::calls::LOCAL_TOP - function.frame) & !(function.frame_alignment - 1);
        let entry = self.enter(function, None, self.live, frame, 0);
        self.activation_mut(entry).registers[ARGUMENTS as usize] = Lanes::splat(launch.arguments);
        self.groups.push(Group { lanes: self.live, activation: entry, pc: 0, state: State::Ready, rounds: 0 });
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
    /// With random numbers, sometimes any group.
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
            // Only operations that wait for lanes make diverged lanes meet again (PTX ISA, "Independent Thread
            // Scheduling").
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

    /// The place at which a group must be chosen again: that of the next group of the same call.
    fn next_meeting(&self, group: usize) -> usize {
        let own = &self.groups[group];
        let others = self.groups.iter().enumerate().filter(|(i, other)| {
            *i != group && other.activation == own.activation && other.lanes != 0 && other.pc > own.pc
        });
        others.map(|(_, other)| other.pc).min().unwrap_or(usize::MAX)
    }

    /// Runs a group until control flow splits it or joins it with another.
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
}
