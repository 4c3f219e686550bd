//! Accesses to memory, and addresses of state spaces.
//!
//! A generic address is a global one, except in two windows: one for the block's shared memory, one for the stacks of
//! the block's threads. Each thread has a separate part, so that an access to another thread's stack is noticed.

use emulator_core::bits::{ones, sign_extended, whole};
use emulator_core::profile::Access;
use emulator_core::{Fault, FaultKind};

use super::calls::LOCAL_TOP;
use super::copies::{Copies, Copy};
use super::failure::{Wrong, status};
use super::warp::{BlockState, Context, Warp};
use super::weak::{Who, location};
use crate::lanes::{Lanes, Word, lanes};
use crate::parser::Space;
use crate::program::code::{ARGUMENTS, Address, CONSTANTS, Code, Op, Order, Source};

/// Where generic addresses of shared memory begin.
const SHARED: u64 = 1 << 48;
/// Where generic addresses of stacks begin, 16 MiB for each thread.
const LOCAL: u64 = 1 << 49;
const WINDOW: u64 = 1 << 24;

/// An address whose state space is known.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Global(u64),
    Shared(u64),
    Local(u64),
}

/// Executes an instruction that reads or writes memory; false if it is another.
pub(super) fn execute(
    warp: &mut Warp,
    index: usize,
    active: u32,
    code: &Code,
    context: &mut Context<'_, '_>,
    block: &mut BlockState,
) -> Result<bool, Wrong> {
    let activation = warp.groups[index].activation;
    let mut lane_memory = LaneMemory::new(warp, activation, context, block);
    if lane_memory.context.lines.is_some() {
        lane_memory.count(active, code)?;
    }
    match &code.op {
        Op::Load { space, bytes, signed, d, address, order } => {
            lane_memory.order = *order;
            lane_memory.load(active, *space, (*bytes, *signed), d, *address)?;
        }
        Op::Store { space, bytes, a, address, order } => {
            lane_memory.order = *order;
            lane_memory.store(active, *space, *bytes, a, *address)?;
        }
        Op::Fence(order) => lane_memory.fence(active, *order),
        Op::Atomic { .. } => lane_memory.atomic(active, &code.op)?,
        Op::CopyAsync { to, from, bytes, size } => lane_memory.copy(active, (*to, *from), *bytes, *size)?,
        Op::CommitCopies => lanes(active).for_each(|lane| lane_memory.copies(lane).commit()),
        Op::WaitCopies(left) => lane_memory.wait_copies(active, *left)?,
        Op::ToGeneric { space, d, a } => lane_memory.make_generic(active, *space, *d, *a),
        Op::FromGeneric { space, d, a } => lane_memory.make_specific(active, *space, *d, *a),
        Op::IsSpace { space, d, a } => lane_memory.is_space(active, *space, *d, *a),
        _ => return Ok(false),
    }
    Ok(true)
}

/// The memory and the registers of a call's lanes.
pub(super) struct LaneMemory<'w, 'c, 'a, 'm> {
    pub(super) warp: &'w mut Warp,
    activation: usize,
    context: &'c mut Context<'a, 'm>,
    block: &'c mut BlockState,
    order: Order,
    /// Whether the access is an atomic operation.
    is_atomic: bool,
}

impl<'w, 'c, 'a, 'm> LaneMemory<'w, 'c, 'a, 'm> {
    pub(super) fn new(
        warp: &'w mut Warp,
        activation: usize,
        context: &'c mut Context<'a, 'm>,
        block: &'c mut BlockState,
    ) -> Self {
        LaneMemory { warp, activation, context, block, order: Order::Relaxed, is_atomic: false }
    }

    /// The value of an operand.
    pub(super) fn get(&self, source: Source) -> &Lanes {
        self.warp.activation(self.activation).get(source)
    }

    /// A register of all lanes.
    pub(super) fn register(&mut self, register: Source) -> &mut Lanes {
        &mut self.warp.activation_mut(self.activation).registers[register as usize]
    }

    /// The addresses of the lanes.
    pub(super) fn addresses(&self, active: u32, address: Address) -> Result<Word, Wrong> {
        self.warp.defined(self.activation, address.base, active, "an address")?;
        let base = self.get(address.base);
        Ok(std::array::from_fn(|lane| base.bits[lane].wrapping_add_signed(address.offset)))
    }

    /// The state space that an address leads to.
    pub(super) fn place(&self, space: Space, address: u64, lane: usize) -> Result<Place, Wrong> {
        let wrong = |message: String| Err(Wrong::new(status::ADDRESS_SPACE, lane, message));
        let is_shared = address & !(WINDOW - 1) == SHARED;
        let is_local = (LOCAL..LOCAL + 1024 * WINDOW).contains(&address);
        match space {
            Space::Shared if address < WINDOW => Ok(Place::Shared(address)),
            Space::Local if address < WINDOW => Ok(Place::Local(address)),
            Space::Shared | Space::Local => {
                let name = if space == Space::Shared { "shared" } else { "local" };
                wrong(format!("{address:#x} is no address of {name} memory"))
            }
            Space::Generic | Space::Param if is_shared => Ok(Place::Shared(address - SHARED)),
            Space::Generic | Space::Param if is_local => {
                let thread = (address - LOCAL) / WINDOW;
                let own = u64::from(self.warp.first) + lane as u64;
                if thread != own {
                    return wrong(format!("{address:#x} is an address of the stack of thread {thread} of the block"));
                }
                Ok(Place::Local(address % WINDOW))
            }
            _ if is_shared || is_local => {
                let name = if is_shared { "shared" } else { "local" };
                wrong(format!("{address:#x} is a generic address of {name} memory, used as a global one"))
            }
            _ => Ok(Place::Global(address)),
        }
    }

    /// Checks that an access is aligned and inside of its memory.
    pub(super) fn check(&mut self, place: Place, size: usize, lane: usize, verb: &str) -> Result<(), Wrong> {
        let (name, address, begin, end) = match place {
            Place::Global(address) => {
                let writes = verb != "a load";
                let found = self.context.cache.find(address, size, size, writes);
                return found.map(drop).map_err(|fault| Wrong::access(lane, verb, "global memory", &fault));
            }
            Place::Shared(address) => (
                "shared memory",
                address,
                self.context.launch.shared_begin,
                self.context.launch.shared_end().next_multiple_of(4),
            ),
            Place::Local(address) => ("local memory", address, self.warp.activation(self.activation).frame, LOCAL_TOP),
        };
        if !address.is_multiple_of(size as u64) {
            let fault = Fault { address, size, kind: FaultKind::Misaligned { alignment: size } };
            return Err(Wrong::access(lane, verb, name, &fault));
        }
        if address < begin || address + size as u64 > end {
            let message = match place {
                Place::Shared(_) => format!(
                    "{verb} of shared memory: {size} bytes at {address:#x} are beyond the block's {} bytes, which begin at {begin:#x}",
                    end - begin
                ),
                _ => format!(
                    "{verb} of local memory: {size} bytes at {address:#x} are beyond the thread's stack, which is at {begin:#x} to {end:#x}"
                ),
            };
            return Err(Wrong::new(status::ILLEGAL_ADDRESS, lane, message));
        }
        Ok(())
    }

    fn local_offset(&self, address: u64, lane: usize) -> u64 {
        let stack = self.warp.local.len() as u64 / 32;
        lane as u64 * stack + (address + stack).wrapping_sub(LOCAL_TOP)
    }

    /// The place of a location in the order of stores, if other threads see it; the number of its first byte.
    fn key(&self, place: Place) -> Option<(u64, u64)> {
        const SHARED_MEMORY: u64 = 1 << 63;
        match place {
            Place::Global(address) => Some((location(address), address)),
            Place::Shared(address) => Some((SHARED_MEMORY | self.block.number << 24 | location(address), address)),
            Place::Local(_) => None,
        }
    }

    fn who(&self, lane: usize) -> Who {
        let threads = u64::from(self.context.launch.threads());
        let thread = self.block.number * threads + u64::from(self.warp.first) + lane as u64;
        Who { thread, block: self.block.number }
    }

    /// The bits of the whole location around a place; none where a part of it is in no allocation.
    fn whole_location(&mut self, place: Place) -> Option<(u64, u64)> {
        match place {
            Place::Global(address) => {
                let address = location(address);
                Some(self.context.cache.find(address, 8, 1, false).ok()?.load(address, 8))
            }
            Place::Shared(address) => self.block.shared.load(location(address), 8),
            Place::Local(_) => None,
        }
    }

    /// Reads at most 8 bytes that were checked: older values if the order of memory allows it.
    pub(super) fn read(&mut self, place: Place, size: usize, lane: usize) -> Result<(u64, u64), Wrong> {
        if self.context.weak.is_some()
            && let Some((key, address)) = self.key(place)
        {
            let (who, order) = (self.who(lane), self.order);
            let Context { weak, random, .. } = &mut *self.context;
            let random = if self.is_atomic { None } else { random.as_mut() };
            let view = &mut self.warp.views[lane];
            let loaded = weak.as_mut().and_then(|weak| weak.load(key, who, view, random, order));
            if let Some((bits, undefined)) = loaded {
                let shift = 8 * (address & 7) as u32;
                let all = ones(8 * size as u32);
                return Ok((bits >> shift & all, undefined >> shift & all));
            }
        }
        self.read_now(place, size, lane)
    }

    /// Writes at most 8 bytes that were checked.
    pub(super) fn write(&mut self, place: Place, size: usize, lane: usize, value: u64, mask: u64) -> Result<(), Wrong> {
        let key = if self.context.weak.is_some() { self.key(place) } else { None };
        let before = key.and_then(|_| self.whole_location(place));
        self.write_now(place, size, lane, value, mask)?;
        let after = before.and_then(|_| self.whole_location(place));
        if let (Some((key, _)), Some(before), Some(after)) = (key, before, after) {
            let (who, order, is_atomic) = (self.who(lane), self.order, self.is_atomic);
            let view = &mut self.warp.views[lane];
            if let Some(weak) = &mut self.context.weak {
                weak.store(key, who, view, order, (before, after), is_atomic);
            }
        }
        Ok(())
    }

    fn fence(&mut self, active: u32, order: Order) {
        let Some(weak) = &self.context.weak else { return };
        lanes(active).for_each(|lane| self.warp.views[lane].fence(order, weak.now));
    }

    /// The asynchronous copies of a lane.
    fn copies(&mut self, lane: usize) -> &mut Copies {
        if self.warp.copies.is_empty() {
            self.warp.copies = vec![Copies::default(); 32];
        }
        &mut self.warp.copies[lane]
    }

    fn wait_copies(&mut self, active: u32, left: Option<usize>) -> Result<(), Wrong> {
        for lane in lanes(active) {
            let copies = self.copies(lane);
            let complete = match left {
                Some(left) => copies.wait(left),
                None => copies.wait_all(),
            };
            for Copy { to, bytes } in complete {
                for (i, (value, mask)) in bytes.iter().enumerate() {
                    self.write(Place::Shared(to + i as u64), 1, lane, (*value).into(), (*mask).into())?;
                }
            }
        }
        Ok(())
    }

    /// Reads at most 8 bytes that were checked: the newest value.
    fn read_now(&mut self, place: Place, size: usize, lane: usize) -> Result<(u64, u64), Wrong> {
        let read = match place {
            Place::Global(address) => {
                let found = self.context.cache.find(address, size, 1, false);
                return match found {
                    Ok(view) => Ok(view.load(address, size)),
                    Err(fault) => Err(Wrong::access(lane, "a load", "global memory", &fault)),
                };
            }
            Place::Shared(address) => self.block.shared.load(address, size),
            Place::Local(address) => self.warp.local.load(self.local_offset(address, lane), size),
        };
        read.ok_or_else(|| Wrong::new(status::ILLEGAL_ADDRESS, lane, "a load beyond a segment"))
    }

    fn write_now(&mut self, place: Place, size: usize, lane: usize, value: u64, mask: u64) -> Result<(), Wrong> {
        let written = match place {
            Place::Global(address) => {
                let found = self.context.cache.find(address, size, 1, true);
                return match found {
                    Ok(view) => {
                        view.store(address, size, value, mask);
                        Ok(())
                    }
                    Err(fault) => Err(Wrong::access(lane, "a store", "global memory", &fault)),
                };
            }
            Place::Shared(address) => self.block.shared.store(address, size, value, mask),
            Place::Local(address) => {
                let offset = self.local_offset(address, lane);
                self.warp.local.store(offset, size, value, mask)
            }
        };
        written.ok_or_else(|| Wrong::new(status::ILLEGAL_ADDRESS, lane, "a store beyond a segment"))
    }

    /// Counts an access for its line. Arguments and constants are in another cache.
    fn count(&mut self, active: u32, code: &Code) -> Result<(), Wrong> {
        let (space, size, address) = match &code.op {
            Op::Load { space, bytes, d, address, .. } => (*space, bytes * d.len(), *address),
            Op::Store { space, bytes, a, address, .. } => (*space, bytes * a.len(), *address),
            Op::Atomic { space, bytes, address, .. } => (*space, *bytes, *address),
            Op::CopyAsync { from, bytes, .. } => (Space::Global, *bytes, *from),
            _ => return Ok(()),
        };
        let (addresses, mut global, mut shared) = (self.addresses(active, address)?, Vec::new(), Vec::new());
        for lane in lanes(active) {
            match self.place(space, addresses[lane], lane)? {
                Place::Global(address) if self.is_inside(Space::Const, address, lane) => {}
                Place::Global(address) => global.push(Access { lane, address, size }),
                Place::Shared(address) => shared.push(Access { lane, address, size }),
                Place::Local(_) => {}
            }
        }
        if let Some(lines) = &mut self.context.lines {
            lines.access(code.place, &global, &shared);
        }
        Ok(())
    }

    fn load(
        &mut self,
        active: u32,
        space: Space,
        (bytes, signed): (usize, Option<u32>),
        d: &[Option<Source>],
        address: Address,
    ) -> Result<(), Wrong> {
        let addresses = self.addresses(active, address)?;
        let extended = |bits: u64| signed.map_or(bits, |to| sign_extended(bits, 8 * bytes as u32) as u64 & ones(to));
        let is_uniform = (address.base >= CONSTANTS || address.base == ARGUMENTS) && space != Space::Local;
        if let (true, [Some(d)]) = (is_uniform, d) {
            let lane = active.trailing_zeros() as usize;
            let place = self.place(space, addresses[lane], lane)?;
            self.check(place, bytes, lane, "a load")?;
            let (bits, mask) = self.read(place, bytes, lane)?;
            let (bits, mask) = ([extended(bits); 32], [extended(mask); 32]);
            if mask[0] == 0 {
                self.register(*d).put(active, &bits);
            } else {
                self.register(*d).put_with(active, &bits, &mask);
            }
            return Ok(());
        }
        // All addresses are read before a register is written: one may be the other.
        let mut values = vec![([0u64; 32], [0u64; 32]); d.len()];
        for lane in lanes(active) {
            let place = self.place(space, addresses[lane], lane)?;
            self.check(place, bytes * d.len(), lane, "a load")?;
            for (i, (bits, masks)) in values.iter_mut().enumerate() {
                let (value, mask) = self.read(behind(place, i * bytes), bytes, lane)?;
                (bits[lane], masks[lane]) = (extended(value), extended(mask));
            }
        }
        for (d, (bits, masks)) in d.iter().zip(&values) {
            let Some(d) = *d else { continue };
            if lanes(active).all(|lane| masks[lane] == 0) {
                self.register(d).put(active, bits);
            } else {
                self.register(d).put_with(active, bits, masks);
            }
        }
        Ok(())
    }

    fn store(&mut self, active: u32, space: Space, bytes: usize, a: &[Source], address: Address) -> Result<(), Wrong> {
        let addresses = self.addresses(active, address)?;
        for lane in lanes(active) {
            let place = self.place(space, addresses[lane], lane)?;
            self.check(place, bytes * a.len(), lane, "a store")?;
            for (i, source) in a.iter().enumerate() {
                let value = self.get(*source);
                let (bits, mask) = (value.bits[lane], value.mask(lane));
                self.write(behind(place, i * bytes), bytes, lane, bits, mask)?;
            }
        }
        Ok(())
    }

    fn atomic(&mut self, active: u32, op: &Op) -> Result<(), Wrong> {
        let Op::Atomic { space, bytes, f, is_exchange, d, address, b, c, order } = op else { return Ok(()) };
        (self.order, self.is_atomic) = (*order, true);
        let addresses = self.addresses(active, *address)?;
        let (b, c) = (self.get(*b).clone(), self.get(*c).clone());
        for lane in lanes(active) {
            let place = self.place(*space, addresses[lane], lane)?;
            if let Place::Local(address) = place {
                let message = format!("an atomic operation on local memory at {address:#x}");
                return Err(Wrong::new(status::ADDRESS_SPACE, lane, message));
            }
            self.check(place, *bytes, lane, "an atomic operation")?;
            let (old, old_mask) = self.read(place, *bytes, lane)?;
            let new = f(old, b.bits[lane], c.bits[lane]);
            let used = if *is_exchange { b.mask(lane) } else { old_mask | b.mask(lane) | c.mask(lane) };
            let mask = if *is_exchange { used } else { whole(used, 8 * *bytes as u32) };
            self.write(place, *bytes, lane, new, mask)?;
            if let Some(d) = d {
                self.register(*d).put_lane(lane, old, old_mask);
            }
        }
        Ok(())
    }

    /// `cp.async`: the bytes beyond `size` become zero. They are read at once, and written when the thread waits.
    fn copy(
        &mut self,
        active: u32,
        (to, from): (Address, Address),
        bytes: usize,
        size: Option<Source>,
    ) -> Result<(), Wrong> {
        let (to, from) = (self.addresses(active, to)?, self.addresses(active, from)?);
        if let Some(size) = size {
            self.warp.defined(self.activation, size, active, "the size of a copy")?;
        }
        for lane in lanes(active) {
            let wanted = size.map_or(bytes, |size| (self.get(size).bits[lane] as usize).min(bytes));
            let target = self.place(Space::Shared, to[lane], lane)?;
            let source = self.place(Space::Global, from[lane], lane)?;
            self.check(target, bytes, lane, "a copy")?;
            if wanted > 0 {
                self.check(source, bytes, lane, "a load")?;
            }
            let mut copied = vec![(0, 0); bytes];
            for (i, byte) in copied.iter_mut().enumerate().take(wanted) {
                let (value, mask) = self.read(behind(source, i), 1, lane)?;
                *byte = (value as u8, mask as u8);
            }
            if let Place::Shared(to) = target {
                self.copies(lane).add(Copy { to, bytes: copied });
            }
        }
        Ok(())
    }

    fn make_generic(&mut self, active: u32, space: Space, d: Source, a: Source) {
        let a = self.get(a).clone();
        let first = u64::from(self.warp.first);
        let convert = |lane: usize| match space {
            Space::Shared => SHARED.wrapping_add(a.bits[lane]),
            Space::Local => (LOCAL + WINDOW * (first + lane as u64)).wrapping_add(a.bits[lane]),
            _ => a.bits[lane],
        };
        let values: Word = std::array::from_fn(convert);
        self.register(d).put_with(active, &values, &a.masks());
    }

    /// The result is undefined where the address is not in the state space.
    fn make_specific(&mut self, active: u32, space: Space, d: Source, a: Source) {
        let a = self.get(a).clone();
        for lane in lanes(active) {
            let inside = self.is_inside(space, a.bits[lane], lane);
            let value = match space {
                Space::Shared | Space::Local => a.bits[lane] % WINDOW,
                _ => a.bits[lane],
            };
            let mask = if inside { a.mask(lane) } else { u64::MAX };
            self.register(d).put_lane(lane, value, mask);
        }
    }

    fn is_inside(&self, space: Space, address: u64, lane: usize) -> bool {
        let own = LOCAL + WINDOW * (u64::from(self.warp.first) + lane as u64);
        let is_shared = address & !(WINDOW - 1) == SHARED;
        let is_local = address & !(WINDOW - 1) == own;
        match space {
            Space::Shared => is_shared,
            Space::Local => is_local,
            Space::Const | Space::Param => {
                let around = self.context.launch.memory.around(address);
                around.is_some_and(|(_, _, kind)| kind == emulator_core::Kind::Constant)
            }
            _ => !is_shared && !(LOCAL..LOCAL + 1024 * WINDOW).contains(&address),
        }
    }

    fn is_space(&mut self, active: u32, space: Space, d: Source, a: Source) {
        let a = self.get(a).clone();
        for lane in lanes(active) {
            let inside = u64::from(self.is_inside(space, a.bits[lane], lane));
            self.register(d).put_lane(lane, inside, u64::from(a.mask(lane) != 0));
        }
    }
}

fn behind(place: Place, bytes: usize) -> Place {
    match place {
        Place::Global(address) => Place::Global(address + bytes as u64),
        Place::Shared(address) => Place::Shared(address + bytes as u64),
        Place::Local(address) => Place::Local(address + bytes as u64),
    }
}

/// Reads a text or arguments that a builtin function gets by a generic address.
pub(super) fn read_byte(
    warp: &mut Warp,
    activation: usize,
    context: &mut Context<'_, '_>,
    block: &mut BlockState,
    (address, lane): (u64, usize),
) -> Result<u8, Wrong> {
    let mut memory = LaneMemory::new(warp, activation, context, block);
    let place = memory.place(Space::Generic, address, lane)?;
    memory.check(place, 1, lane, "a load")?;
    memory.read(place, 1, lane).map(|(bits, _)| bits as u8)
}
