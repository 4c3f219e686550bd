// Options of a kernel that a function of another crate gives it, and a number of copies that a function passes on, are
// found at every level, although nothing but these functions is inlined at `-O0`.
// RUN: rustc --edition 2021 --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes %s -o in.bc; \
//   for level in 0 1 2 3; do \
//   offloadc in.bc -O$level --offload-arch=sm_80 --emit=codegen=- | grep -oE '^.(visible|maxntid|maxnreg).*'; done

extern "C" {
    fn __offload_max_registers(count: u32);
    fn __offload_launch_bounds(threads: u32, blocks: u32);
    fn __offload_unroll(count: u32);
    fn __offload_kernel(function: *const ()) -> *const u8;
}

#[inline(never)]
fn options(registers: u32) {
    unsafe {
        __offload_max_registers(registers);
        __offload_launch_bounds(128, 0);
    }
}

#[inline(never)]
unsafe fn sum(x: *const f32, n: u32, copies: u32) -> f32 {
    let mut sum = 0.0;
    for i in 0..n as usize {
        __offload_unroll(copies);
        sum += *x.add(i);
    }
    sum
}

#[no_mangle]
extern "C" fn limited(out: *mut f32, x: *const f32, n: u32) {
    options(64);
    unsafe { *out = sum(x, n, 2) + sum(x, n / 2, 4) };
}

fn main() {
    unsafe { println!("{:?}", __offload_kernel(limited as *const ())) };
}
//// stdout
// .visible .entry limited(
// .maxntid 128
// .maxnreg 64
// .visible .entry limited(
// .maxntid 128
// .maxnreg 64
// .visible .entry limited(
// .maxntid 128
// .maxnreg 64
// .visible .entry limited(
// .maxntid 128
// .maxnreg 64
