//! Operations of one wave that it has not waited for. They complete as late as the ISA allows: registers count as not
//! written, and other waves do not see stores, until the wave waits.

use std::collections::VecDeque;

use emulator_core::{Cache, Random, Segment};

use super::atomic::Atomic;
use super::counters::{Class, Issue, SHARED, VECTOR, Wait};
use super::location::{Location, Manner};
use super::space::{load, store_now};
use crate::mode::Mode;
use crate::registers::Bits;
use crate::touch::Touch;
use crate::wrong::Wrong;

/// The part of an operation in one place of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    pub(crate) location: Location,
    pub(crate) size: u8,
    pub(crate) lane: u8,
    pub(crate) manner: Manner,
    /// The value to store, or the operand of an atomic.
    pub(crate) bits: Bits,
}

/// The bytes between the lowest and the highest address of some pieces, for a quick look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    low: u64,
    high: u64,
}

impl Span {
    /// No bytes.
    pub(crate) const EMPTY: Span = Span { low: u64::MAX, high: 0 };

    pub(crate) fn add(&mut self, address: u64, size: usize) {
        self.low = self.low.min(address);
        self.high = self.high.max(address.saturating_add(size as u64));
    }

    #[inline]
    pub(crate) fn meets(&self, address: u64, size: usize) -> bool {
        address < self.high && self.low < address.saturating_add(size as u64)
    }
}

/// The spans of pieces in both spaces that other waves see.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spans {
    global: Span,
    shared: Span,
}

impl Spans {
    pub(crate) const EMPTY: Spans = Spans { global: Span::EMPTY, shared: Span::EMPTY };

    fn add(&mut self, location: Location, size: usize) {
        match location {
            Location::Global(address) => self.global.add(address, size),
            Location::Shared(offset) => self.shared.add(offset, size),
            Location::Private(_) | Location::Nowhere => {}
        }
    }

    /// Whether any is in shared memory.
    pub(crate) fn has_shared(&self) -> bool {
        self.shared.low < self.shared.high
    }

    fn join(&mut self, other: &Spans) {
        for (all, more) in [(&mut self.global, other.global), (&mut self.shared, other.shared)] {
            (all.low, all.high) = (all.low.min(more.low), all.high.max(more.high));
        }
    }

    #[inline]
    pub(crate) fn meets(&self, location: Location, size: usize) -> bool {
        match location {
            Location::Global(address) => self.global.meets(address, size),
            Location::Shared(offset) => self.shared.meets(offset, size),
            Location::Private(_) | Location::Nowhere => false,
        }
    }
}

/// An operation that was issued.
pub(crate) struct Operation {
    pub(crate) pc: u64,
    issue: Issue,
    /// The counters that still count it.
    counted: u8,
    /// The counters that must be waited for until it is known to be complete.
    needed: u8,
    /// The lanes that were active.
    lanes: u64,
    /// The barriers that the block had passed.
    pub(crate) barriers: u64,
    /// The round of the launch.
    round: u64,
    pub(crate) spans: Spans,
    pub(crate) pieces: Vec<Piece>,
    /// The operation of an atomic, and the mode of its wave.
    atomic: Option<(Atomic, Mode)>,
    /// Whether its stores are still to come.
    is_late: bool,
}

impl Operation {
    /// The order in which it writes registers. Data of LDS may overtake data of memory, which comes in order also for
    /// generic addresses: LLVM's `SIInsertWaitcnts` waits for `lgkmcnt` alone where a later load by vector registers
    /// writes the same register.
    fn order(&self) -> Class {
        let is_of_memory = self.issue.class == Class::Flat && self.needed & SHARED == 0;
        if is_of_memory { Class::Vector } else { self.issue.class }
    }

    /// Whether a piece is at some bytes.
    pub(crate) fn piece_at(&self, location: Location, size: usize) -> Option<&Piece> {
        if !self.spans.meets(location, size) {
            return None;
        }
        let meets =
            |low: u64, other: u64, other_size: u8| low < other + u64::from(other_size) && other < low + size as u64;
        self.pieces.iter().find(|piece| match (location, piece.location) {
            (Location::Global(a), Location::Global(b)) | (Location::Shared(a), Location::Shared(b)) => {
                meets(a, b, piece.size)
            }
            _ => false,
        })
    }

    /// Carries out the stores.
    fn carry_out(&mut self, global: &mut Cache<'_>, shared: &mut Segment) -> Result<(), Wrong> {
        self.is_late = false;
        for piece in &self.pieces {
            let (lane, size) = (usize::from(piece.lane), usize::from(piece.size));
            let bits = match (piece.manner, self.atomic) {
                (Manner::Read, _) => continue,
                (Manner::Update, Some((atomic, mode))) => {
                    let old = load(None, global, shared, lane, piece.location, size, piece.manner)?;
                    atomic.apply(&mode, old, piece.bits, Bits::default())
                }
                _ => piece.bits,
            };
            store_now(global, shared, lane, piece.location, size, bits, piece.manner)?;
        }
        Ok(())
    }
}

/// The properties of an operation when it is issued.
pub(crate) struct Issued<'a> {
    pub(crate) pc: u64,
    pub(crate) issue: &'a Issue,
    pub(crate) lanes: u64,
    pub(crate) barriers: u64,
    pub(crate) round: u64,
    pub(crate) atomic: Option<(Atomic, Mode)>,
}

/// The operations of a wave, the oldest first.
pub(crate) struct Pending {
    pub(crate) operations: VecDeque<Operation>,
    /// The registers that they write.
    busy: Touch,
    /// Whether there are such registers.
    pub(crate) is_busy: bool,
    /// How many stores are still to come, and where.
    pub(crate) late: usize,
    pub(crate) spans: Spans,
    /// Memory of operations that are complete.
    spare: Vec<Vec<Piece>>,
}

impl Default for Pending {
    fn default() -> Pending {
        Pending {
            operations: VecDeque::new(),
            busy: Touch::default(),
            is_busy: false,
            late: 0,
            spans: Spans::EMPTY,
            spare: Vec::new(),
        }
    }
}

impl Pending {
    /// Adds an operation. Its pieces are taken, and the memory of older ones is left in their place.
    pub(crate) fn add(&mut self, issued: &Issued<'_>, pieces: &mut Vec<Piece>, all: &mut Spans) {
        let mut spans = Spans::EMPTY;
        let (mut is_late, mut places) = (false, 0);
        for piece in pieces.iter() {
            spans.add(piece.location, piece.size.into());
            is_late |= piece.manner != Manner::Read;
            places |= if matches!(piece.location, Location::Shared(_)) { SHARED } else { !SHARED };
        }
        let Issued { pc, issue, lanes, barriers, round, atomic } = *issued;
        // A generic access counts twice, and completes by the counter of the memory that its lanes have reached.
        let needed = if issue.counters & places == 0 { issue.counters } else { issue.counters & places };
        let mut issue = issue.clone();
        if lanes == 0 && issue.counters & VECTOR != 0 {
            issue.result = Touch::default();
        }
        self.busy.join(&issue.result);
        self.is_busy |= !issue.result.is_empty();
        if is_late {
            self.late += 1;
            self.spans.join(&spans);
            all.join(&spans);
        }
        let room = self.spare.pop().unwrap_or_default();
        let pieces = std::mem::replace(pieces, room);
        let counted = issue.counters;
        let operation =
            Operation { pc, issue, counted, needed, lanes, barriers, round, spans, pieces, atomic, is_late };
        self.operations.push_back(operation);
    }

    /// Completes the operations that a wait for some counters ensures.
    pub(crate) fn wait(&mut self, wait: Wait, global: &mut Cache<'_>, shared: &mut Segment) -> Result<(), Wrong> {
        if self.operations.is_empty() {
            return Ok(());
        }
        for (counter, most) in wait.each() {
            if most != u32::MAX {
                self.settle(counter, most);
            }
        }
        self.finish(global, shared)
    }

    /// Takes a counter from the operations that are complete when it is `most`: all but the last ones of those that
    /// complete in order, and none of the others unless it is 0.
    fn settle(&mut self, counter: u8, most: u32) {
        let mut after = [0; 2];
        for operation in self.operations.iter_mut().rev().filter(|operation| operation.counted & counter != 0) {
            let is_complete = match operation.issue.class.within(counter) {
                None => most == 0,
                Some(class) => {
                    let count = &mut after[usize::from(class == Class::Shared)];
                    *count += 1;
                    *count > most
                }
            };
            if is_complete {
                operation.counted &= !counter;
                operation.needed &= !counter;
            }
        }
    }

    fn finish(&mut self, global: &mut Cache<'_>, shared: &mut Segment) -> Result<(), Wrong> {
        let mut is_changed = false;
        for operation in &mut self.operations {
            if operation.needed != 0 {
                continue;
            }
            is_changed |= !operation.issue.result.is_empty();
            operation.issue.result = Touch::default();
            if operation.is_late {
                operation.carry_out(global, shared)?;
                self.late -= 1;
            }
            // A generic access may be complete, and one of its counters still count it.
            operation.pieces.clear();
        }
        let Pending { operations, spare, .. } = self;
        operations.retain_mut(|operation| {
            let stays = operation.counted != 0;
            if !stays {
                let mut pieces = std::mem::take(&mut operation.pieces);
                pieces.clear();
                spare.push(pieces);
            }
            stays
        });
        if is_changed {
            self.busy = Touch::default();
            self.operations.iter().for_each(|operation| self.busy.join(&operation.issue.result));
            self.is_busy = !self.busy.is_empty();
        }
        if self.late == 0 {
            self.spans = Spans::EMPTY;
        }
        Ok(())
    }

    /// Waits as the hardware does where a counter is full.
    pub(crate) fn make_room(&mut self, most: Wait, global: &mut Cache<'_>, shared: &mut Segment) -> Result<(), Wrong> {
        if self.operations.len() <= most.shared.min(most.vector) as usize {
            return Ok(());
        }
        for (counter, most) in most.each() {
            let count = self.operations.iter().filter(|operation| operation.counted & counter != 0).count();
            if count > most as usize
                && let Some(oldest) = self.operations.iter_mut().find(|operation| operation.counted & counter != 0)
            {
                oldest.counted &= !counter;
                oldest.needed &= !counter;
            }
        }
        self.finish(global, shared)
    }

    /// The operation that writes a register which an instruction touches too early; an instruction that writes it too
    /// comes after it where both complete in order.
    pub(crate) fn early(
        &self,
        touched: &Touch,
        issue: Option<&Issue>,
        lanes: Option<u64>,
    ) -> Option<(&Operation, String)> {
        if !self.busy.meets(touched) {
            return None;
        }
        self.operations.iter().find_map(|operation| {
            let result = &operation.issue.result;
            let register = result.common(touched)?;
            let is_apart = lanes.is_some_and(|lanes| lanes & operation.lanes == 0);
            if is_apart && !result.meets_scalars(touched) {
                return None;
            }
            let in_order = issue.is_some_and(|issue| {
                let shared = issue.counters & operation.issue.counters;
                let orders = [issue.class, operation.order()].map(|class| class.within(shared));
                orders[0].is_some() && orders[0] == orders[1] && !result.meets(&issue.sources)
            });
            let is_beside = issue.is_some_and(|issue| issue.stores_beside(&operation.issue));
            (!in_order && !is_beside).then_some((operation, register))
        })
    }

    /// Carries out the stores to some bytes, and those before them, which the hardware does before a later access of
    /// the same wave to the same bytes.
    pub(crate) fn carry_out_at(
        &mut self,
        location: Location,
        size: usize,
        global: &mut Cache<'_>,
        shared: &mut Segment,
    ) -> Result<(), Wrong> {
        if !self.spans.meets(location, size) {
            return Ok(());
        }
        let is_met = |operation: &Operation| operation.is_late && operation.piece_at(location, size).is_some();
        match self.operations.iter().rposition(is_met) {
            None => Ok(()),
            Some(last) => self.carry_out(|number, _| number <= last, global, shared),
        }
    }

    /// Carries out the stores of the operations that are chosen.
    fn carry_out(
        &mut self,
        chosen: impl Fn(usize, &Operation) -> bool,
        global: &mut Cache<'_>,
        shared: &mut Segment,
    ) -> Result<(), Wrong> {
        for (number, operation) in self.operations.iter_mut().enumerate() {
            if operation.is_late && chosen(number, operation) {
                operation.carry_out(global, shared)?;
                self.late -= 1;
            }
        }
        if self.late == 0 {
            self.spans = Spans::EMPTY;
        }
        Ok(())
    }

    /// Carries out the stores of earlier rounds: the hardware completes them some time without a wait, too.
    pub(crate) fn carry_out_old(
        &mut self,
        round: u64,
        global: &mut Cache<'_>,
        shared: &mut Segment,
    ) -> Result<(), Wrong> {
        self.carry_out(|_, operation| operation.round < round, global, shared)
    }

    /// Carries out the stores of one operation, in whatever order. Those before it to the same bytes come first.
    pub(crate) fn carry_out_one(
        &mut self,
        random: &mut Random,
        global: &mut Cache<'_>,
        shared: &mut Segment,
    ) -> Result<(), Wrong> {
        let late: Vec<usize> = (0..self.operations.len()).filter(|number| self.operations[*number].is_late).collect();
        if late.is_empty() {
            return Ok(());
        }
        let mut chosen = vec![late[random.below(late.len())]];
        for number in late.into_iter().rev().filter(|number| *number < chosen[0]).collect::<Vec<_>>() {
            let meets = |later: &usize| {
                let mut pieces = self.operations[*later].pieces.iter();
                pieces.any(|piece| self.operations[number].piece_at(piece.location, piece.size.into()).is_some())
            };
            if chosen.iter().any(meets) {
                chosen.push(number);
            }
        }
        self.carry_out(|number, _| chosen.contains(&number), global, shared)
    }

    /// Completes everything, as the end of the block does.
    pub(crate) fn end(&mut self, global: &mut Cache<'_>, shared: &mut Segment) -> Result<(), Wrong> {
        self.wait(Wait { vector: 0, store: 0, shared: 0 }, global, shared)
    }
}
