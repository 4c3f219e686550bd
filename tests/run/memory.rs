//! Copies, moves, fills, comparisons and lengths of text in kernels, with all alignments of both arguments.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use core::ffi::{c_char, CStr};
use offload::{argument, Device, Shape};

/// Bytes of a thread's memory.
const ROOM: usize = 128;

/// Where a thread's regions begin, and how long they are: all alignments of both sides, lengths around a word's and a
/// chunk's.
fn regions(i: u32) -> (usize, usize, usize) {
    let i = i as usize;
    (i % 17, i / 17 % 17, [0, 1, 3, 15, 16, 17, 19, 31, 32, 33, 47, 61][i / 289 % 12])
}

/// The work of a thread on its memory, which returns its findings.
type Part = unsafe fn(*mut u8, *const u8, u32) -> u64;

/// Within the memory: regions that overlap, in both directions.
unsafe fn moves(own: *mut u8, _: *const u8, i: u32) -> u64 {
    let (to, from, length) = regions(i);
    core::ptr::copy(own.add(from * 3), own.add(to * 3), length);
    length as u64
}

unsafe fn copies(own: *mut u8, other: *const u8, i: u32) -> u64 {
    let (to, from, length) = regions(i);
    core::ptr::copy_nonoverlapping(other.add(from), own.add(to), length);
    length as u64
}

unsafe fn fills(own: *mut u8, _: *const u8, i: u32) -> u64 {
    let (to, value, length) = regions(i);
    own.add(to).write_bytes(value as u8, length);
    // Of a length that is known, and of memory that is the thread's alone.
    let mut local = [[i; 24]; 4];
    local[i as usize % 4].fill(7);
    local[to % 4].copy_within(0..20, 3);
    local.iter().flatten().fold(0u64, |sum, v| sum.wrapping_mul(31).wrapping_add(u64::from(*v)))
}

unsafe fn compares(own: *mut u8, other: *const u8, i: u32) -> u64 {
    let (a, b, length) = regions(i);
    core::ptr::copy_nonoverlapping(other.add(b), own.add(a), length);
    let slice = |bytes: *const u8| core::slice::from_raw_parts(bytes, length);
    let same = slice(own.add(a)) == slice(other.add(b));
    if length != 0 {
        *own.add(a + i as usize % length) ^= 0x80 >> (i % 8);
    }
    let order = slice(own.add(a)).cmp(slice(other.add(b))) as i8;
    u64::from(same) << 8 | u64::from(order as u8)
}

unsafe fn measures(own: *mut u8, _: *const u8, i: u32) -> u64 {
    let (start, other, length) = regions(i);
    own.add(start).write_bytes(other as u8 + 1, length);
    *own.add(start + length) = 0;
    CStr::from_ptr(own.add(start) as *const c_char).count_bytes() as u64
}

macro_rules! kernels {
    ($($kernel:ident: $part:ident,)*) => {
        $(extern "C" fn $kernel(memory: *mut u8, other: *const u8, out: *mut u64, first: u32) {
            let i = offload::global_id_x();
            unsafe { *out.add(i as usize) = $part(memory.add(i as usize * ROOM), other, first + i) }
        })*

        const PARTS: &[Part] = &[$($part),*];

        fn handles() -> Vec<*const offload::Kernel> {
            unsafe { vec![$(offload::__offload_kernel($kernel as *const ())),*] }
        }
    };
}

kernels! {
    move_all: moves,
    copy_all: copies,
    fill_all: fills,
    compare_all: compares,
    measure_all: measures,
}

/// The same through workgroup memory, whose pointers are of another kind.
#[link_section = ".offload.shared"]
static mut TILE: [u32; 64] = [0; 64];

extern "C" fn through_tile(memory: *mut u8, other: *const u8, out: *mut u64, first: u32) {
    let start = first as usize % 17;
    unsafe {
        let tile = (&raw mut TILE).cast::<u8>();
        if offload::global_id_x() == 0 {
            tile.write_bytes(first as u8, 256);
            core::ptr::copy_nonoverlapping(other.add(start), tile.add(first as usize % 5), 60 + start);
            core::ptr::copy(tile, tile.add(start), 100);
            core::ptr::copy_nonoverlapping(tile, memory, 200 + start);
        }
        *out = 0;
    }
}

fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|i| (i * 7 + i / 50) as u8).collect()
}

fn main() {
    let count = offload::number_argument(1, 289 * 12);
    let device = Device::open();
    let first = bytes(count as usize * ROOM);
    let other = device.upload(&bytes(ROOM));
    let out = device.allocate::<u64>(count as usize);
    let run = |handle, count, memory: &offload::Buffer<'_, u8>, first: u32| {
        let (memory, other, out) = (memory.as_mut_ptr(), other.as_ptr(), out.as_mut_ptr());
        let arguments = [argument(&memory), argument(&other), argument(&out), argument(&first)];
        device.launch(handle, Shape::linear(count, 12), &arguments);
    };
    let mut wrong = 0;
    for (handle, part) in handles().into_iter().zip(PARTS) {
        let memory = device.upload(&first);
        run(handle, count, &memory, 0);
        let (there, found) = (memory.read(), out.read());
        for i in 0..count as usize {
            let mut own = first[i * ROOM..][..ROOM].to_vec();
            let value = unsafe { part(own.as_mut_ptr(), bytes(ROOM).as_ptr(), i as u32) };
            wrong += usize::from(own != there[i * ROOM..][..ROOM] || value != found[i]);
        }
    }
    let memory = device.upload(&first);
    let tile = unsafe { offload::__offload_kernel(through_tile as *const ()) };
    for i in 0..17u32 {
        run(tile, 1, &memory, i);
        let mut wanted = vec![0; ROOM * 2];
        through_tile(wanted.as_mut_ptr(), bytes(ROOM).as_ptr(), &mut 0, i);
        let length = 200 + i as usize;
        wrong += usize::from(memory.read()[..length] != wanted[..length]);
    }
    offload::verdict("memory", &format!("{count} threads, {} kernels", PARTS.len() + 1), wrong);
}
