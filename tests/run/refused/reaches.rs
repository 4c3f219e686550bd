//! Kernels that reach code which no device supports: a print, a file, a thread-local, host intrinsics, assembly.

#[path = "../../../examples/contract/common/offload.rs"]
mod offload;

use std::cell::Cell;

thread_local! {
    static COUNTER: Cell<u32> = const { Cell::new(0) };
}

extern "C" fn prints(out: *mut u32) {
    unsafe { *out = report(7) }
}

#[inline(never)]
fn report(value: u32) -> u32 {
    println!("value {value}");
    value
}

extern "C" fn reads(out: *mut u32) {
    let bytes = std::fs::read("/etc/hostname").unwrap_or_default();
    unsafe { *out = bytes.len() as u32 }
}

extern "C" fn counts(out: *mut u32) {
    COUNTER.with(|counter| {
        counter.set(counter.get() + 1);
        unsafe { *out = counter.get() }
    });
}

extern "C" fn clocks(out: *mut u64) {
    unsafe { *out = std::arch::x86_64::_rdtsc() }
}

extern "C" fn assembles(out: *mut u64) {
    let value: u64;
    unsafe {
        std::arch::asm!("rdtsc", out("rax") value, out("rdx") _);
        *out = value;
    }
}

fn main() {
    let kernels = [kernel!(prints), kernel!(reads), kernel!(counts), kernel!(clocks), kernel!(assembles)];
    println!("{kernels:?}");
}
