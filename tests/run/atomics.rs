//! Atomics of each width and ordering: many threads access few addresses, and the final values are checked.

#[path = "../../examples/contract/common/offload.rs"]
mod offload;

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{
    fence, AtomicBool, AtomicI32, AtomicI64, AtomicU16, AtomicU32, AtomicU64, AtomicU8, AtomicUsize,
};

use offload::{argument, Device, Shape};

#[repr(C)]
#[derive(Default)]
struct Places {
    a64: AtomicU64,
    b64: AtomicI64,
    c64: AtomicUsize,
    a32: AtomicU32,
    b32: AtomicI32,
    c32: AtomicU32,
    d32: AtomicU32,
    a16: AtomicU16,
    b16: AtomicU16,
    a8: [AtomicU8; 3],
    flag: AtomicBool,
    lock: AtomicU32,
    locked: u32,
    float: AtomicU32,
    small: AtomicU8,
}

extern "C" fn atomics(count: u32, places: *mut Places) {
    let i = offload::global_id_x();
    if i >= count {
        return;
    }
    let p = unsafe { &*places };
    p.a64.fetch_add(u64::from(i) << 20, Relaxed);
    p.b64.fetch_min(-i64::from(i), AcqRel);
    p.c64.fetch_xor(1 << (i % 64), SeqCst);
    p.a32.fetch_add(i, Acquire);
    p.b32.fetch_max(i as i32, Release);
    p.c32.fetch_or(1 << (i % 32), SeqCst);
    let mut seen = p.d32.load(Relaxed);
    while let Err(now) = p.d32.compare_exchange_weak(seen, seen.wrapping_mul(1).wrapping_add(3), AcqRel, Acquire) {
        seen = now;
    }
    p.a16.fetch_add(i as u16, Relaxed);
    p.b16.fetch_max(i as u16, AcqRel);
    p.a8[i as usize % 3].fetch_add(1, Relaxed);
    p.a8[1].load(Acquire);
    if p.small.compare_exchange(0, 7, SeqCst, Relaxed).is_ok() {
        p.flag.store(true, Release);
    }
    fence(SeqCst);
    let _ = p.float.fetch_update(Relaxed, Relaxed, |bits| Some((f32::from_bits(bits) + 0.5).to_bits()));
}

/// One thread of each block takes a lock and changes the data that it protects.
extern "C" fn locked(places: *mut Places) {
    if offload::thread_id_x() == 0 {
        let p = unsafe { &*places };
        while p.lock.compare_exchange(0, 1, Acquire, Relaxed).is_err() {
            std::hint::spin_loop();
        }
        unsafe { (*places).locked += 1 };
        p.lock.store(0, Release);
    }
}

mod ordering {
    pub const RELAXED: u32 = 0;
    pub const ACQUIRE: u32 = 2;
    pub const RELEASE: u32 = 3;
    pub const BOTH: u32 = 4;
    pub const SEQUENTIAL: u32 = 5;
}

/// A scope as the type of a wrapper, whose number is a constant of the call.
trait Scope {
    const NUMBER: u32;
}

struct WholeDevice;
impl Scope for WholeDevice {
    const NUMBER: u32 = 1;
}

struct Block;
impl Scope for Block {
    const NUMBER: u32 = 2;
}

/// The contract's atomics of a type.
macro_rules! scoped {
    ($module:ident, $ty:ty, $($name:ident = $symbol:literal,)*) => {
        mod $module {
            use super::Scope;

            unsafe extern "C" {
                $(
                    #[link_name = $symbol]
                    fn $name(at: *mut $ty, value: $ty, ordering: u32, scope: u32) -> $ty;
                )*
            }

            pub struct Cell<S>(pub *mut $ty, pub std::marker::PhantomData<S>);

            impl<S: Scope> Cell<S> {
                $(
                    pub fn $name(&self, value: $ty, ordering: u32) -> $ty {
                        unsafe { $name(self.0, value, ordering, S::NUMBER) }
                    }
                )*
            }
        }
    };
}

scoped! { unsigned, u32,
    add = "__offload_atomic_add_u32", sub = "__offload_atomic_sub_u32", max = "__offload_atomic_max_u32",
    or = "__offload_atomic_or_u32", exchange = "__offload_atomic_exchange_u32",
}
scoped! { signed, i64,
    add = "__offload_atomic_add_i64", min = "__offload_atomic_min_i64", xor = "__offload_atomic_xor_i64",
}
scoped! { narrow, u8, add = "__offload_atomic_add_u8", and = "__offload_atomic_and_u8", }
scoped! { real, f32, add = "__offload_atomic_add_f32", exchange = "__offload_atomic_exchange_f32", max = "__offload_atomic_max_f32", }

unsafe extern "C" {
    fn __offload_atomic_load_u32(at: *const u32, ordering: u32, scope: u32) -> u32;
    fn __offload_atomic_store_u32(at: *mut u32, value: u32, ordering: u32, scope: u32);
    fn __offload_atomic_compare_exchange_f64(
        at: *mut f64,
        expected: f64,
        value: f64,
        success: u32,
        failure: u32,
        scope: u32,
    ) -> f64;
    fn __offload_atomic_fence(ordering: u32, scope: u32);
}

#[repr(C, align(8))]
#[derive(Default)]
struct Scoped {
    signed: [i64; 3],
    double: f64,
    unsigned: [u32; 5],
    real: [f32; 3],
    narrow: [u8; 2],
}

fn cell<T, S>(at: &mut T) -> (*mut T, std::marker::PhantomData<S>) {
    (at, std::marker::PhantomData)
}

fn at<S: Scope>(count: u32, i: u32, p: &mut Scoped, turn: u32) {
    let cell32 = |i: usize, p: &mut Scoped| {
        let c = cell::<_, S>(&mut p.unsigned[i]);
        unsigned::Cell(c.0, c.1)
    };
    cell32(0, p).add(i, ordering::RELAXED);
    cell32(1, p).sub(1, ordering::BOTH);
    cell32(2, p).max(i, ordering::ACQUIRE);
    // An ordering that is not known before the launch is the strongest.
    cell32(3, p).or(1 << (i % 32), if turn == 7 { ordering::RELAXED } else { ordering::SEQUENTIAL });
    let cell64 = |i: usize, p: &mut Scoped| {
        let c = cell::<_, S>(&mut p.signed[i]);
        signed::Cell(c.0, c.1)
    };
    cell64(0, p).add(-i64::from(i) << 20, ordering::RELEASE);
    cell64(1, p).min(-i64::from(i), ordering::SEQUENTIAL);
    cell64(2, p).xor(1 << (i % 64), ordering::RELAXED);
    let c = cell::<_, S>(&mut p.narrow[0]);
    narrow::Cell(c.0, c.1).add(1, ordering::RELAXED);
    let c = cell::<_, S>(&mut p.narrow[1]);
    narrow::Cell(c.0, c.1).and(!1, ordering::BOTH);
    let real = |i: usize, p: &mut Scoped| {
        let c = cell::<_, S>(&mut p.real[i]);
        real::Cell(c.0, c.1)
    };
    real(0, p).add(0.5, ordering::RELAXED);
    real(1, p).max(i as f32, ordering::RELAXED);
    if i == count - 1 {
        real(2, p).exchange(2.5, ordering::SEQUENTIAL);
    }
    unsafe {
        let double = &raw mut p.double;
        let mut seen = 0.0;
        loop {
            let found = __offload_atomic_compare_exchange_f64(
                double,
                seen,
                seen + 0.25,
                ordering::BOTH,
                ordering::ACQUIRE,
                S::NUMBER,
            );
            if found.to_bits() == seen.to_bits() {
                break;
            }
            seen = found;
        }
    }
}

/// The first half of the fields counts for the device, the second for each block alone.
extern "C" fn scoped(count: u32, places: *mut Scoped, turn: u32) {
    let i = offload::global_id_x();
    let block = offload::block_id_x() as usize;
    if i < count {
        at::<WholeDevice>(count, i, unsafe { &mut *places }, turn);
        at::<Block>(count, i, unsafe { &mut *places.add(1 + block) }, turn);
        unsafe {
            let place = &raw mut (*places).unsigned[4];
            if __offload_atomic_load_u32(place, ordering::ACQUIRE, 1) == 0 {
                __offload_atomic_store_u32(place, 9, ordering::RELEASE, 1);
            }
            __offload_atomic_fence(ordering::SEQUENTIAL, 2);
        }
    }
}

/// Whether a place holds the result of the threads `from..to`.
fn is_right(p: &Scoped, count: u32, from: u32, to: u32) -> bool {
    let threads = || from..to;
    let bits = threads().fold(0i64, |bits, i| bits ^ 1 << (i % 64));
    let last = if to == count { 2.5 } else { 0.0 };
    p.unsigned[..4]
        == [threads().sum(), (from).wrapping_sub(to), to - 1, threads().fold(0, |bits, i| bits | 1 << (i % 32))]
        && p.signed == [-threads().map(i64::from).sum::<i64>() << 20, -i64::from(to - 1), bits]
        && p.narrow == [(to - from) as u8, 0]
        && p.real == [(to - from) as f32 / 2.0, (to - 1) as f32, last]
        && p.double == f64::from(to - from) / 4.0
}

/// Runs `scoped`; returns how many places are wrong.
fn run_scoped(device: &Device, count: u32) -> usize {
    let blocks = count.div_ceil(64);
    let empty: Vec<[u64; SCOPED_WORDS]> = vec![[0; SCOPED_WORDS]; blocks as usize + 1];
    let places = device.upload(&empty);
    let (address, turn) = (places.as_mut_ptr().cast::<Scoped>(), 3u32);
    let arguments = [argument(&count), argument(&address), argument(&turn)];
    device.launch(kernel!(scoped), Shape::linear(count, 64), &arguments);
    let bytes = places.read();
    let place = |i: u32| unsafe { &*bytes.as_ptr().cast::<Scoped>().add(i as usize) };
    let blocks = (0..blocks).filter(|b| !is_right(place(1 + b), count, b * 64, count.min((b + 1) * 64))).count();
    blocks + usize::from(!is_right(place(0), count, 0, count) || place(0).unsigned[4] != 9)
}

const SCOPED_WORDS: usize = size_of::<Scoped>() / 8;

fn main() {
    let count = offload::number_argument(1, 1000);
    let device = Device::open();
    let places = device.upload(&[[0u64; 16]]);
    let address = places.as_mut_ptr().cast::<Places>();
    assert!(size_of::<Places>() <= 128);
    device.launch(kernel!(atomics), Shape::linear(count, 64), &[argument(&count), argument(&address)]);
    device.launch(kernel!(locked), Shape::linear(count, 64), &[argument(&address)]);
    let bytes = places.read();
    let p = unsafe { &*bytes.as_ptr().cast::<Places>() };
    let all = u64::from(count) * u64::from(count - 1) / 2;
    let bits = (0..count).fold(0u64, |bits, i| bits ^ 1 << (i % 64));
    let third = |r: u32| (0..count).filter(|i| i % 3 == r).count() as u8;
    let right = [
        p.a64.load(Relaxed) == all << 20,
        p.b64.load(Relaxed) == -i64::from(count - 1),
        p.c64.load(Relaxed) as u64 == bits,
        u64::from(p.a32.load(Relaxed)) == all,
        p.b32.load(Relaxed) == count as i32 - 1,
        p.c32.load(Relaxed) == u32::MAX,
        p.d32.load(Relaxed) == count * 3,
        p.a16.load(Relaxed) == all as u16,
        p.b16.load(Relaxed) == count as u16 - 1,
        (0..3).all(|r| p.a8[r as usize].load(Relaxed) == third(r)),
        p.flag.load(Relaxed) && p.small.load(Relaxed) == 7,
        p.lock.load(Relaxed) == 0 && p.locked == count.div_ceil(64),
        f32::from_bits(p.float.load(Relaxed)) == count as f32 / 2.0,
    ];
    if right.contains(&false) {
        eprintln!("{right:?}");
    }
    let wrong = right.iter().filter(|r| !**r).count() + run_scoped(&device, count);
    offload::verdict("atomics", &format!("{count} threads"), wrong);
}
