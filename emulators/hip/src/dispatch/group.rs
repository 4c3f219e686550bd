//! A block: its waves, its shared memory, its barrier.

use emulator_core::{Cache, Memory, Random, Segment};

use super::setup::Start;
use super::step;
use crate::environment::{Environment, Late};
use crate::object::code::Code;
use crate::wave::{State, Wave};
use crate::wrong::Wrong;

/// An error of a wave of a block.
pub(crate) struct Culprit {
    pub(crate) wrong: Wrong,
    pub(crate) block: [u32; 3],
    pub(crate) wave: usize,
    pub(crate) pc: u64,
    pub(crate) calls: Vec<u64>,
    /// The first active lane, for errors of the whole wave.
    pub(crate) lane: usize,
}

/// A block that runs.
pub(crate) struct Group {
    pub(crate) block: [u32; 3],
    pub(crate) waves: Vec<Wave>,
    shared: Segment,
    late: Late,
}

impl Group {
    /// A block whose waves are at the kernel's first instruction.
    pub(crate) fn new(start: &Start, block: [u32; 3], shared_bytes: usize) -> Result<Group, Wrong> {
        let waves = (0..start.waves()).map(|number| start.wave(block, number, Vec::new()));
        let waves: Vec<Wave> = waves.collect::<Result<_, _>>()?;
        let late = Late::new(waves.len(), start.kernel.descriptor.one_cache);
        Ok(Group { block, waves, shared: Segment::new(shared_bytes), late })
    }

    /// Begins another block with the memory of one that has ended.
    pub(crate) fn renew(&mut self, start: &Start, block: [u32; 3]) -> Result<(), Wrong> {
        self.block = block;
        self.shared.forget_all();
        self.late = Late::new(self.waves.len(), start.kernel.descriptor.one_cache);
        for wave in &mut self.waves {
            let scratch = std::mem::take(&mut wave.scratch);
            *wave = start.wave(block, wave.number, scratch)?;
        }
        Ok(())
    }

    /// Completes the operations that the block has left: later work of the stream sees them.
    pub(crate) fn end(&mut self, memory: &Memory) -> Result<(), Wrong> {
        self.late.end(&mut Cache::new(memory), &mut self.shared)
    }

    /// Whether all waves have ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.waves.iter().all(|wave| wave.state == State::Ended)
    }

    /// Runs each wave that can for at most `most` instructions, one after another or in a random order. Returns whether
    /// any could go on.
    pub(crate) fn run(
        &mut self,
        memory: &Memory,
        code: &mut Code,
        clock: &mut u64,
        most: u64,
        random: &mut Option<Random>,
    ) -> Result<bool, Box<Culprit>> {
        let count = self.waves.len();
        let mut goes_on = false;
        for turn in 0..count {
            let (number, most) = match random {
                None => (turn, most),
                Some(random) => (random.below(count), 1 + random.below(64) as u64),
            };
            goes_on |= self.run_wave(number, memory, code, clock, most)?;
        }
        self.open_barrier();
        Ok(goes_on)
    }

    /// Completes stores some time after they were issued, even without a wait: those of earlier rounds, because waves
    /// that run on may wait for them; and with a seed, any one.
    pub(crate) fn grow_old(&mut self, memory: &Memory, random: &mut Option<Random>) -> Result<(), Wrong> {
        const ROUNDS: u64 = 64;
        let (mut global, late) = (Cache::new(memory), &mut self.late);
        let mut oldest = late.round;
        if let Some(random) = random {
            oldest = oldest.saturating_sub(ROUNDS);
            let wave = random.below(4 * late.waves.len());
            if let Some(wave) = late.waves.get_mut(wave) {
                wave.carry_out_one(random, &mut global, &mut self.shared)?;
            }
        }
        late.round += 1;
        let mut waves = late.waves.iter_mut().filter(|wave| wave.late != 0);
        waves.try_for_each(|wave| wave.carry_out_old(oldest, &mut global, &mut self.shared))
    }

    fn run_wave(
        &mut self,
        number: usize,
        memory: &Memory,
        code: &mut Code,
        clock: &mut u64,
        most: u64,
    ) -> Result<bool, Box<Culprit>> {
        let Group { block, waves, shared, late } = self;
        let wave = &mut waves[number];
        if wave.state != State::Running {
            return Ok(false);
        }
        let mut environment = Environment { global: Cache::new(memory), shared, late, number, clock: *clock };
        let outcome = step::run(wave, &mut environment, code, most);
        *clock = environment.clock;
        outcome.map_err(|wrong| culprit(wrong, *block, wave))
    }

    /// Lets the waves go on when all that have not ended have come (RDNA3 ISA, S_BARRIER; CDNA2 ISA, the same).
    fn open_barrier(&mut self) {
        if self.waves.iter().all(|wave| wave.state != State::Running) && !self.has_ended() {
            self.late.pass_barrier();
            let waiting = self.waves.iter_mut().filter(|wave| wave.state == State::AtBarrier);
            waiting.for_each(|wave| wave.state = State::Running);
        }
    }
}

fn culprit(wrong: Wrong, block: [u32; 3], wave: &Wave) -> Box<Culprit> {
    let active = if wave.exec() == 0 { wave.present } else { wave.exec() };
    let lane = wrong.lane.unwrap_or(active.trailing_zeros() as usize % wave.lanes);
    Box::new(Culprit { wrong, block, wave: wave.number, pc: wave.pc, calls: wave.calls.clone(), lane })
}
