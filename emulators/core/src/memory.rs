//! The memory that kernels reach by global addresses. It is real memory of the host at the addresses that the program
//! sees, so managed and pinned memory need nothing else.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::{BTreeMap, VecDeque};
use std::marker::PhantomData;

use crate::fault::{Fault, FaultKind, Kind, Neighbour};
use crate::segment::WORD;

/// The alignment of every allocation, which CUDA and HIP both promise.
const ALIGNMENT: usize = 256;
/// How many freed bytes are kept, so that their use is noticed.
const QUARANTINE: usize = 64 << 20;
/// Fresh memory up to this size holds a pattern, so that the use of undefined data shows in results.
const PATTERN_BYTES: usize = 16 << 20;
const PATTERN: u8 = 0xcb;

struct Allocation {
    base: u64,
    size: usize,
    kind: Kind,
    name: String,
    /// Masks of written bits; null where everything counts as written.
    defined: *mut u8,
    /// Whether the bytes are ours to free.
    is_owned: bool,
}

// SAFETY: the pointer is this allocation's alone, and changes only through `&mut Memory` or a `View`, whose users hold
// the lock around `Memory`.
unsafe impl Send for Allocation {}

fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.max(1), ALIGNMENT).ok()
}

fn zeroed(size: usize) -> Option<*mut u8> {
    let layout = layout(size)?;
    // SAFETY: the layout has at least one byte.
    let bytes = unsafe { alloc_zeroed(layout) };
    (!bytes.is_null()).then_some(bytes)
}

impl Allocation {
    fn end(&self) -> u64 {
        self.base + self.size as u64
    }

    fn neighbour(&self) -> Neighbour {
        Neighbour { base: self.base, size: self.size, kind: self.kind, name: self.name.clone() }
    }

    fn release(self) {
        let Some(layout) = layout(self.size) else { return };
        if self.is_owned {
            // SAFETY: `allocate` made it with this layout, and only one `Allocation` owns it.
            unsafe { dealloc(self.base as *mut u8, layout) };
        }
        if !self.defined.is_null() {
            // SAFETY: as above; the masks have the same size.
            unsafe { dealloc(self.defined, layout) };
        }
    }
}

/// All allocations, by address.
#[derive(Default)]
pub struct Memory {
    allocations: BTreeMap<u64, Allocation>,
    freed: VecDeque<Allocation>,
    freed_bytes: usize,
}

impl Memory {
    /// No allocations.
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Allocates `size` bytes, aligned to 256, undefined if kernels alone write them; none where the host has no more.
    pub fn allocate(&mut self, size: usize, kind: Kind, name: &str) -> Option<u64> {
        let tracks = matches!(kind, Kind::Device | Kind::Variable);
        // The last word of a variable is whole, as that of a `Segment`.
        let own = size;
        let size = if kind == Kind::Variable { size.next_multiple_of(WORD) } else { size };
        let data = zeroed(size)?;
        let defined = if tracks { zeroed(size)? } else { std::ptr::null_mut() };
        if tracks {
            // SAFETY: these are the last ones of `size` bytes, to which nothing else has a pointer yet.
            unsafe { defined.add(own).write_bytes(0xff, size - own) };
        }
        if tracks && size <= PATTERN_BYTES {
            // SAFETY: `data` has `size` bytes, and nothing else has a pointer to them yet.
            unsafe { data.write_bytes(PATTERN, size) };
        }
        let base = data as u64;
        self.allocations.insert(base, Allocation { base, size, kind, name: name.to_owned(), defined, is_owned: true });
        Some(base)
    }

    /// Lets kernels use memory of the host that is allocated elsewhere; false where it overlaps another allocation.
    ///
    /// # Safety
    ///
    /// The bytes stay valid until `free` of the address.
    pub unsafe fn register_host(&mut self, base: u64, size: usize) -> bool {
        let end = base.saturating_add(size as u64);
        let overlaps = self.allocations.range(..end).next_back().is_some_and(|(_, known)| known.end() > base);
        if overlaps || size == 0 {
            return false;
        }
        let defined = std::ptr::null_mut();
        let allocation = Allocation { base, size, kind: Kind::Host, name: String::new(), defined, is_owned: false };
        self.allocations.insert(base, allocation);
        true
    }

    /// Frees the allocation that begins at `base`; false where none does. The bytes stay in quarantine for a while.
    pub fn free(&mut self, base: u64) -> bool {
        let Some(allocation) = self.allocations.remove(&base) else { return false };
        if !allocation.is_owned {
            allocation.release();
            return true;
        }
        self.freed_bytes += allocation.size;
        self.freed.push_back(allocation);
        while self.freed_bytes > QUARANTINE {
            let Some(oldest) = self.freed.pop_front() else { break };
            self.freed_bytes -= oldest.size;
            oldest.release();
        }
        true
    }

    /// The allocation that contains all of the bytes.
    pub fn view(&self, address: u64, size: usize) -> Result<View<'_>, Fault> {
        let found = self.allocations.range(..=address).next_back().map(|(_, allocation)| allocation);
        match found {
            Some(found) if address.saturating_add(size as u64) <= found.end() => Ok(View::of(found)),
            _ => Err(self.outside(address, size)),
        }
    }

    /// The allocation around an address: its first address, size and kind.
    pub fn around(&self, address: u64) -> Option<(u64, usize, Kind)> {
        let (_, found) = self.allocations.range(..=address).next_back()?;
        (address < found.end() || address == found.base).then_some((found.base, found.size, found.kind))
    }

    fn outside(&self, address: u64, size: usize) -> Fault {
        let contains = |one: &&Allocation| one.base <= address && address < one.end();
        if let Some(freed) = self.freed.iter().rev().find(contains) {
            return Fault { address, size, kind: FaultKind::Freed { allocation: freed.neighbour() } };
        }
        let before = self.allocations.range(..=address).next_back();
        let after = self.allocations.range(address..).next();
        let near = before.into_iter().chain(after).map(|(_, one)| one.neighbour());
        let nearest = near.min_by_key(|one| one.distance(address, size));
        Fault { address, size, kind: FaultKind::Outside { nearest } }
    }

    /// Reads bytes and the masks of their undefined bits.
    pub fn read(&self, address: u64, data: &mut [u8], undefined: &mut [u8]) -> Result<(), Fault> {
        self.view(address, data.len())?.read(address, data, undefined);
        Ok(())
    }

    /// Writes bytes with the masks of their undefined bits, even where kernels may not write.
    pub fn write(&mut self, address: u64, data: &[u8], undefined: &[u8]) -> Result<(), Fault> {
        self.view(address, data.len())?.write(address, data, undefined);
        Ok(())
    }

    /// Sets bytes and marks them as written.
    pub fn fill(&mut self, address: u64, byte: u8, size: usize) -> Result<(), Fault> {
        let view = self.view(address, size)?;
        // SAFETY: the view contains the bytes.
        unsafe { (address as *mut u8).write_bytes(byte, size) };
        view.define(address, size);
        Ok(())
    }

    /// Marks bytes as written that other code has written.
    pub fn define(&mut self, address: u64, size: usize) -> Result<(), Fault> {
        self.view(address, size)?.define(address, size);
        Ok(())
    }

    /// Copies bytes, which may overlap, with the masks of their written bits.
    pub fn copy(&mut self, to: u64, from: u64, size: usize) -> Result<(), Fault> {
        let (target, source) = (self.view(to, size)?, self.view(from, size)?);
        // SAFETY: both views contain the bytes; `copy` allows an overlap.
        unsafe { std::ptr::copy(from as *const u8, to as *mut u8, size) };
        match (target.mask(to), source.mask(from)) {
            // SAFETY: masks are as long as the bytes.
            (Some(to), Some(from)) => unsafe { std::ptr::copy(from, to, size) },
            // SAFETY: as above.
            (Some(to), None) => unsafe { to.write_bytes(0xff, size) },
            (None, _) => {}
        }
        Ok(())
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        std::mem::take(&mut self.allocations).into_values().for_each(Allocation::release);
        self.freed.drain(..).for_each(Allocation::release);
    }
}

/// An allocation that stays while the memory is borrowed, so repeated accesses can keep it.
#[derive(Clone, Copy)]
pub struct View<'memory> {
    base: u64,
    end: u64,
    defined: *mut u8,
    kind: Kind,
    memory: PhantomData<&'memory Memory>,
}

impl<'memory> View<'memory> {
    fn of(allocation: &'memory Allocation) -> View<'memory> {
        let Allocation { base, defined, kind, .. } = *allocation;
        View { base, end: allocation.end(), defined, kind, memory: PhantomData }
    }

    /// Whether all of the bytes are inside.
    #[inline]
    pub fn contains(&self, address: u64, size: usize) -> bool {
        address >= self.base && address < self.end && size as u64 <= self.end - address
    }

    /// The kind of its memory.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    fn mask(&self, address: u64) -> Option<*mut u8> {
        // SAFETY: callers have checked that the address is inside, and the masks are as long as the bytes.
        (!self.defined.is_null()).then(|| unsafe { self.defined.add((address - self.base) as usize) })
    }

    /// Reads bytes that are inside.
    pub fn read(&self, address: u64, data: &mut [u8], undefined: &mut [u8]) {
        assert!(data.is_empty() || self.contains(address, data.len()));
        assert!(data.len() == undefined.len());
        // SAFETY: the bytes are inside, and the slice is not part of them.
        unsafe { std::ptr::copy(address as *const u8, data.as_mut_ptr(), data.len()) };
        match self.mask(address) {
            None => undefined.fill(0),
            Some(mask) => {
                // SAFETY: the masks are as long as the bytes.
                unsafe { std::ptr::copy(mask, undefined.as_mut_ptr(), undefined.len()) };
                undefined.iter_mut().for_each(|byte| *byte = !*byte);
            }
        }
    }

    /// Writes bytes that are inside.
    pub fn write(&self, address: u64, data: &[u8], undefined: &[u8]) {
        assert!(data.is_empty() || self.contains(address, data.len()));
        assert!(data.len() == undefined.len());
        // SAFETY: the bytes are inside, and the slice is not part of them.
        unsafe { std::ptr::copy(data.as_ptr(), address as *mut u8, data.len()) };
        if let Some(mask) = self.mask(address) {
            for (i, byte) in undefined.iter().enumerate() {
                // SAFETY: the masks are as long as the bytes.
                unsafe { mask.add(i).write(!byte) };
            }
        }
    }

    fn define(&self, address: u64, size: usize) {
        if let Some(mask) = self.mask(address) {
            // SAFETY: callers have checked that the bytes are inside; the masks are as long.
            unsafe { mask.write_bytes(0xff, size) };
        }
    }

    /// Loads `size` bytes, at most 8: their bits, and the mask of the undefined ones.
    #[inline]
    pub fn load(&self, address: u64, size: usize) -> (u64, u64) {
        assert!(size <= 8 && self.contains(address, size));
        let (mut data, mut defined) = ([0; 8], [0xff; 8]);
        // SAFETY: the bytes are inside, and the arrays have room for eight.
        unsafe { std::ptr::copy_nonoverlapping(address as *const u8, data.as_mut_ptr(), size) };
        if let Some(mask) = self.mask(address) {
            // SAFETY: the masks are as long as the bytes.
            unsafe { std::ptr::copy_nonoverlapping(mask, defined.as_mut_ptr(), size) };
        }
        (u64::from_le_bytes(data), !u64::from_le_bytes(defined))
    }

    /// Stores the lowest `size` bytes, at most 8, of a value.
    #[inline]
    pub fn store(&self, address: u64, size: usize, value: u64, undefined: u64) {
        assert!(size <= 8 && self.contains(address, size));
        let (data, defined) = (value.to_le_bytes(), (!undefined).to_le_bytes());
        // SAFETY: the bytes are inside, and the arrays have eight.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), address as *mut u8, size) };
        if let Some(mask) = self.mask(address) {
            // SAFETY: the masks are as long as the bytes.
            unsafe { std::ptr::copy_nonoverlapping(defined.as_ptr(), mask, size) };
        }
    }
}

/// The allocations that a warp used last, so that most accesses need no search.
pub struct Cache<'memory> {
    memory: &'memory Memory,
    recent: [Option<View<'memory>>; 4],
    next: usize,
}

impl<'memory> Cache<'memory> {
    /// An empty cache over `memory`.
    pub fn new(memory: &'memory Memory) -> Cache<'memory> {
        Cache { memory, recent: [None; 4], next: 0 }
    }

    /// The allocation of a kernel's access, with all checks of a device.
    #[inline]
    pub fn find(&mut self, address: u64, size: usize, alignment: usize, writes: bool) -> Result<View<'memory>, Fault> {
        if !address.is_multiple_of(alignment as u64) {
            return Err(Fault { address, size, kind: FaultKind::Misaligned { alignment } });
        }
        let view = match self.recent.iter().flatten().find(|view| view.contains(address, size)) {
            Some(view) => *view,
            None => self.search(address, size)?,
        };
        if writes && view.kind == Kind::Constant {
            let size_of = (view.end - view.base) as usize;
            let allocation = Neighbour { base: view.base, size: size_of, kind: view.kind, name: String::new() };
            return Err(Fault { address, size, kind: FaultKind::ReadOnly { allocation } });
        }
        Ok(view)
    }

    #[cold]
    fn search(&mut self, address: u64, size: usize) -> Result<View<'memory>, Fault> {
        let view = self.memory.view(address, size)?;
        self.recent[self.next] = Some(view);
        self.next = (self.next + 1) % self.recent.len();
        Ok(view)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_memory_is_undefined_until_it_is_written() {
        let mut memory = Memory::new();
        let base = memory.allocate(64, Kind::Device, "").expect("the host has 64 bytes");
        assert_eq!(memory.view(base, 8).expect("inside").load(base, 4).1, 0xffff_ffff);
        memory.fill(base, 7, 2).expect("inside");
        assert_eq!(memory.view(base, 8).expect("inside").load(base, 4).1, 0xffff_0000);
        memory.copy(base + 8, base, 4).expect("inside");
        assert_eq!(memory.view(base, 64).expect("inside").load(base + 8, 4).1, 0xffff_0000);
        let managed = memory.allocate(64, Kind::Managed, "").expect("the host has 64 bytes");
        assert_eq!(memory.view(managed, 8).expect("inside").load(managed, 8), (0, 0));
    }

    #[test]
    fn faults_name_the_nearest_allocation() {
        let mut memory = Memory::new();
        let base = memory.allocate(10, Kind::Device, "").expect("the host has 10 bytes");
        let fault = memory.view(base + 8, 4).err().expect("two bytes are outside");
        assert!(fault.to_string().contains("they end 2 bytes after device memory of 10 bytes"), "{fault}");
        assert!(memory.free(base) && !memory.free(base));
        let fault = memory.view(base, 4).err().expect("it was freed");
        assert!(matches!(fault.kind, FaultKind::Freed { .. }), "{fault}");
    }

    #[test]
    fn kernels_cannot_write_constants_or_split_words() {
        let mut memory = Memory::new();
        let base = memory.allocate(16, Kind::Constant, "c").expect("the host has 16 bytes");
        let mut cache = Cache::new(&memory);
        assert!(cache.find(base, 4, 4, false).is_ok());
        let kind = |found: Result<View<'_>, Fault>| found.err().map(|fault| fault.kind);
        assert!(matches!(kind(cache.find(base, 4, 4, true)), Some(FaultKind::ReadOnly { .. })));
        assert_eq!(kind(cache.find(base + 2, 4, 4, false)), Some(FaultKind::Misaligned { alignment: 4 }));
    }

    #[test]
    fn registered_memory_does_not_overlap() {
        let mut memory = Memory::new();
        let host = [0u8; 32];
        let base = host.as_ptr() as u64;
        // SAFETY: the array lives until the end of the test.
        assert!(unsafe { memory.register_host(base, 32) });
        // SAFETY: as above; nothing is registered.
        assert!(!unsafe { memory.register_host(base + 8, 4) });
        assert!(memory.free(base));
    }
}
