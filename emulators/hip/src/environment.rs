//! The state that a wave reaches besides its own registers.

use emulator_core::{Cache, Segment};

use crate::memory::atomic::Atomic;
use crate::memory::counters::{Issue, Wait};
use crate::memory::location::Location;
use crate::memory::location::Manner;
use crate::memory::pending::{Issued, Operation, Pending, Piece, Spans};
use crate::mode::Mode;
use crate::registers::Bits;
use crate::wrong::Wrong;

/// The incomplete operations of a block.
pub(crate) struct Late {
    /// The operations of each wave.
    pub(crate) waves: Vec<Pending>,
    /// How many barriers the block has passed.
    pub(crate) barriers: u64,
    /// Whether an operation was not waited for before one of them.
    pub(crate) is_overdue: bool,
    /// Whether all waves of the block reach global memory through one cache, in the order of their instructions.
    pub(crate) one_cache: bool,
    /// The turns that the waves of the launch have had.
    pub(crate) round: u64,
    /// Where stores of any wave are still to come.
    spans: Spans,
    /// Whether the instruction that is executed need not look for others.
    is_quiet: bool,
    /// The pieces of the instruction that is executed, and its atomic.
    pub(crate) pieces: Vec<Piece>,
    pub(crate) atomic: Option<(Atomic, Mode)>,
}

impl Late {
    /// A block without incomplete operations.
    pub(crate) fn new(waves: usize, one_cache: bool) -> Late {
        let waves = (0..waves).map(|_| Pending::default()).collect();
        Late {
            waves,
            barriers: 0,
            is_overdue: false,
            one_cache,
            round: 0,
            spans: Spans::EMPTY,
            is_quiet: true,
            pieces: Vec::new(),
            atomic: None,
        }
    }

    /// The block passes a barrier.
    pub(crate) fn pass_barrier(&mut self) {
        self.barriers += 1;
        let one_cache = self.one_cache;
        let matters = |one: &Operation| !one.pieces.is_empty() && (!one_cache || one.spans.has_shared());
        self.is_overdue = self.waves.iter().any(|wave| wave.operations.iter().any(matters));
    }

    /// Completes everything.
    pub(crate) fn end(&mut self, global: &mut Cache<'_>, shared: &mut Segment) -> Result<(), Wrong> {
        self.is_overdue = false;
        self.waves.iter_mut().try_for_each(|wave| wave.end(global, shared))
    }
}

/// The memory around a wave, and the clock.
pub(crate) struct Environment<'launch> {
    pub(crate) global: Cache<'launch>,
    /// The shared memory of the block.
    pub(crate) shared: &'launch mut Segment,
    pub(crate) late: &'launch mut Late,
    /// The number of the wave in its block.
    pub(crate) number: usize,
    /// How many instructions the launch has executed: the time.
    pub(crate) clock: u64,
}

impl Environment<'_> {
    /// Whether loads have yet to write registers of the wave.
    #[inline]
    pub(crate) fn is_busy(&self) -> bool {
        self.late.waves[self.number].is_busy
    }

    /// Waits until the counters of the wave have fallen.
    pub(crate) fn wait(&mut self, wait: Wait) -> Result<(), Wrong> {
        self.late.waves[self.number].wait(wait, &mut self.global, self.shared)
    }

    /// Leaves the instruction that was executed incomplete.
    pub(crate) fn issue(&mut self, pc: u64, issue: &Issue, lanes: u64, most: Wait) -> Result<(), Wrong> {
        let Late { waves, barriers, round, pieces, atomic, spans, .. } = &mut *self.late;
        let (barriers, round, atomic) = (*barriers, *round, atomic.take());
        let wave = &mut waves[self.number];
        wave.add(&Issued { pc, issue, lanes, barriers, round, atomic }, pieces, spans);
        wave.make_room(most, &mut self.global, self.shared)
    }

    /// A memory instruction begins.
    pub(crate) fn begin_access(&mut self) {
        let late = &mut *self.late;
        let mut is_late = late.waves[self.number].late != 0;
        if !is_late && late.one_cache {
            is_late = late.waves.iter().any(|wave| wave.late != 0);
        }
        if !is_late && late.one_cache {
            late.spans = Spans::EMPTY;
        }
        late.is_quiet = !is_late && !late.is_overdue;
    }

    /// A lane comes to some bytes. Older stores of the wave to them are carried out. An operation that another wave has
    /// not waited for before a barrier is an error.
    #[inline]
    pub(crate) fn come(&mut self, lane: usize, location: Location, size: usize, manner: Manner) -> Result<(), Wrong> {
        if self.late.is_quiet { Ok(()) } else { self.meet(lane, location, size, manner) }
    }

    fn meet(&mut self, lane: usize, location: Location, size: usize, manner: Manner) -> Result<(), Wrong> {
        let Environment { global, shared, late, number, .. } = self;
        let one_cache = late.one_cache && matches!(location, Location::Global(_));
        if late.is_overdue && !one_cache {
            late.find_overdue(*number, lane, location, size, manner)?;
        }
        if !one_cache {
            return late.waves[*number].carry_out_at(location, size, global, shared);
        }
        if !late.spans.meets(location, size) {
            return Ok(());
        }
        for wave in late.waves.iter_mut().filter(|wave| wave.late != 0) {
            wave.carry_out_at(location, size, global, shared)?;
        }
        Ok(())
    }

    /// Keeps the bits that a lane reads or will store.
    #[inline]
    pub(crate) fn keep(&mut self, lane: usize, location: Location, size: usize, manner: Manner, bits: Bits) {
        let is_seen = match location {
            Location::Global(_) => manner != Manner::Read || !self.late.one_cache,
            Location::Shared(_) => true,
            Location::Private(_) | Location::Nowhere => false,
        };
        if is_seen {
            self.late.pieces.push(Piece { location, size: size as u8, lane: lane as u8, manner, bits });
        }
    }
}

impl Late {
    /// AMDGPUUsage, "Memory Model GFX90A" and the others: operations of shared memory by different waves of a block can
    /// be reordered, and S_WAITCNT before S_BARRIER prevents it; the same for global memory where the block has more
    /// than one cache.
    #[cold]
    fn find_overdue(
        &self,
        number: usize,
        lane: usize,
        location: Location,
        size: usize,
        manner: Manner,
    ) -> Result<(), Wrong> {
        let others = self.waves.iter().enumerate().filter(|(other, _)| *other != number);
        for (_, wave) in others {
            let overdue = wave.operations.iter().filter(|one| one.barriers < self.barriers);
            for operation in overdue {
                let Some(piece) = operation.piece_at(location, size) else { continue };
                if manner == piece.manner && manner != Manner::Write {
                    continue;
                }
                let does = if piece.manner == Manner::Read { "reads" } else { "writes" };
                let space = if matches!(location, Location::Shared(_)) { "shared" } else { "global" };
                let message = format!(
                    "{}: {size} bytes of {space} memory that another wave {does}: its {} was before a barrier that did \
                     not wait for it",
                    manner.verb(),
                    piece.manner.verb()
                );
                return Err(Wrong { other: Some(operation.pc), ..Wrong::of_lane(lane, message) });
            }
        }
        Ok(())
    }
}

/// Where a wave goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// With the next instruction.
    Go,
    Jump(u64),
    /// After the block's other waves have come here.
    Barrier,
    End,
}
