//! Calls, returns and the ends of threads.

use std::sync::Arc;

use super::activation::{Activation, Group, State};
use super::failure::{Wrong, status};
use super::warp::{Context, Warp};
use crate::lanes::{Lanes, lanes};
use crate::program::Function;
use crate::program::code::{FRAME, Op, Passed, Source};

/// The end of every stack in local memory: frames are below it.
pub(super) const LOCAL_TOP: u64 = 0xff_ff00;

impl Warp {
    /// A new call of a function.
    pub(super) fn enter(
        &mut self,
        function: Arc<Function>,
        caller: Option<(usize, usize)>,
        active: u32,
        frame: u64,
        depth: u32,
    ) -> usize {
        let mut registers = self.spare.pop().unwrap_or_default();
        if registers.len() < function.registers as usize {
            registers.resize_with(function.registers as usize, Lanes::undefined);
        }
        for register in &function.read_first {
            registers[*register as usize].dirty = 0;
            registers[*register as usize].forget(u32::MAX);
        }
        registers[FRAME as usize] = Lanes::splat(frame);
        let stack = self.local.len() as u64 / 32;
        for lane in lanes(active) {
            if let Some(offset) = (frame + stack).checked_sub(LOCAL_TOP) {
                self.local.forget(lane as u64 * stack + offset, function.frame as usize);
            }
        }
        self.add_activation(Activation { function, registers, caller, depth, lanes: active, frame })
    }

    /// `call`: the whole group enters the function.
    pub(super) fn call(
        &mut self,
        index: usize,
        target: &Result<usize, Source>,
        arguments: &[Passed],
        context: &Context<'_, '_>,
    ) -> Result<(), Wrong> {
        let Group { activation, pc, .. } = self.groups[index];
        let callee = match target {
            Ok(callee) => *callee,
            Err(register) => self.called(index, *register, context)?,
        };
        // Lanes that call something else are another group now.
        let active = self.groups[index].lanes;
        let function = context.launch.program.function(callee).clone();
        let lane = active.trailing_zeros() as usize;
        let caller = self.activation(activation);
        let depth = caller.depth + 1;
        let frame = caller.frame.saturating_sub(function.frame) & !(function.frame_alignment - 1);
        if frame + (context.launch.stack as u64) < LOCAL_TOP {
            let message = format!("a thread's stack of {} bytes is full", context.launch.stack);
            return Err(Wrong::new(status::STACK, lane, message));
        }
        if arguments.len() != function.parameters.len() {
            return Err(Wrong::new(
                status::INVALID_PC,
                lane,
                "a call passes another number of arguments than its function has",
            ));
        }
        let values: Vec<Vec<Lanes>> =
            arguments.iter().map(|one| one.words.iter().map(|word| caller.get(*word).clone()).collect()).collect();
        let entered = self.enter(function.clone(), Some((activation, pc)), active, frame, depth);
        let registers = &mut self.activation_mut(entered).registers;
        for (words, values) in function.parameters.iter().zip(values) {
            words.iter().zip(values).for_each(|(word, value)| registers[*word as usize] = value);
        }
        self.store_addressed(entered, &function, active);
        self.groups[index].activation = entered;
        self.groups[index].pc = 0;
        Ok(())
    }

    /// Parameters that have addresses are in the frame.
    fn store_addressed(&mut self, entered: usize, function: &Function, active: u32) {
        let stack = self.local.len() as u64 / 32;
        let frame = self.activation(entered).frame;
        for (place, words) in &function.addressed {
            for (i, word) in words.iter().enumerate() {
                let value = self.activation(entered).get(*word).clone();
                for lane in lanes(active) {
                    let offset = lane as u64 * stack + (frame + place + 8 * i as u64 + stack - LOCAL_TOP);
                    let _inside = self.local.store(offset, 8, value.bits[lane], value.mask(lane));
                }
            }
        }
    }

    /// The function that a register names in the first lane of a group, and in all that stay in it.
    fn called(&mut self, index: usize, register: Source, context: &Context<'_, '_>) -> Result<usize, Wrong> {
        let Group { lanes: active, activation, .. } = self.groups[index];
        self.defined(activation, register, active, "which function is called")?;
        let value = self.activation(activation).get(register);
        let lane = active.trailing_zeros() as usize;
        let address = value.bits[lane];
        let same = lanes(active).filter(|lane| value.bits[*lane] == address).fold(0, |all, lane| all | 1 << lane);
        if same != active {
            self.part(index, same);
        }
        let module = &context.launch.program.module;
        let found = module.function_at(address).filter(|found| module.tree.functions[*found].body.is_some());
        let message = || format!("a call of {address:#x}, where no function is");
        found.ok_or_else(|| Wrong::new(status::INVALID_PC, lane, message()))
    }

    /// Splits a group in two at its place: `first` and the others.
    pub(super) fn part(&mut self, index: usize, first: u32) {
        let rest = self.groups[index].lanes & !first;
        let mut other = self.groups[index].clone();
        other.lanes = rest;
        self.groups[index].lanes = first;
        self.groups.push(other);
    }

    /// `ret`: the whole group goes back to the caller, or ends.
    pub(super) fn ret(&mut self, index: usize) -> Result<(), Wrong> {
        let Group { lanes: active, activation, .. } = self.groups[index];
        let Some((caller, call)) = self.activation(activation).caller else {
            self.exit(index);
            return Ok(());
        };
        let caller_function = self.activation(caller).function.clone();
        let Op::Call { results, .. } = &caller_function.code[call].op else { return Ok(()) };
        let own = self.activation(activation);
        if results.len() != own.function.results.len() && !results.is_empty() {
            let lane = active.trailing_zeros() as usize;
            return Err(Wrong::new(
                status::INVALID_PC,
                lane,
                "a function returns another number of results than its call takes",
            ));
        }
        let values: Vec<(Source, Lanes)> = results
            .iter()
            .zip(&own.function.results)
            .flat_map(|(passed, words)| passed.words.iter().zip(words))
            .map(|(to, from)| (*to, own.get(*from).clone()))
            .collect();
        for (to, value) in values {
            self.activation_mut(caller).registers[to as usize].put_with(active, &value.bits, &value.masks());
        }
        self.leave(activation, active);
        let group = &mut self.groups[index];
        (group.activation, group.pc) = (caller, call + 1);
        Ok(())
    }

    fn leave(&mut self, activation: usize, active: u32) {
        let left = self.activation_mut(activation);
        left.lanes &= !active;
        if left.lanes == 0 {
            self.drop_activation(activation);
        }
    }

    /// The whole group ends.
    pub(super) fn exit(&mut self, index: usize) {
        let Group { lanes: active, activation, .. } = self.groups[index];
        self.live &= !active;
        let mut open = Some(activation);
        while let Some(next) = open {
            open = self.activation(next).caller.map(|(caller, _)| caller);
            self.leave(next, active);
        }
        self.groups[index].lanes = 0;
        self.groups[index].state = State::Ready;
    }
}
