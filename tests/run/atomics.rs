//! Atomics of each width and ordering: many threads on few places, checked against what must be left.

#[path = "../../examples/common/offload.rs"]
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

/// One thread of each block takes a lock and changes what it protects.
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
    offload::verdict("atomics", &format!("{count} threads"), right.iter().filter(|r| !**r).count());
}
