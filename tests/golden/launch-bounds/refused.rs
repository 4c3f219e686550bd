// A promise that is not constant, not possible, or contradicts another is refused where it stands.
// FAIL: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes -g %s -o in.bc; \
//   offloadc in.bc '--kernel=k?' --offload-arch=cpu,sm_80 -o out.o

extern "C" {
    fn __offload_launch_bounds(threads: u32, blocks: u32);
    fn __offload_block_size(x: u32, y: u32, z: u32);
}

#[no_mangle]
pub extern "C" fn k1(n: u32) {
    unsafe { __offload_launch_bounds(n, 1) }
}

#[no_mangle]
pub extern "C" fn k2() {
    unsafe { __offload_block_size(32, 33, 1) }
}

#[no_mangle]
pub extern "C" fn k3() {
    unsafe {
        __offload_launch_bounds(128, 0);
        __offload_launch_bounds(256, 0);
    }
}

#[no_mangle]
pub extern "C" fn k4() {
    unsafe {
        __offload_launch_bounds(128, 0);
        __offload_block_size(16, 16, 1);
    }
}

#[no_mangle]
pub extern "C" fn k5(n: u32) {
    recursive(n);
}

fn recursive(n: u32) -> u32 {
    unsafe { __offload_launch_bounds(64, 0) };
    if n > 1 { recursive(n - 1) * recursive(n - 2) } else { n }
}
//// stderr
// error[OFC0029]: `__offload_launch_bounds` is called outside a kernel: call it in the kernel, or in a function that is inlined into it
//   --> %s:42:14
//   = note: for cpu, sm_80
// error[OFC0029]: `__offload_launch_bounds` needs constant arguments
//   --> %s:12:14
//   = note: for cpu, sm_80
// error[OFC0029]: `__offload_launch_bounds` contradicts an earlier call
//   --> %s:24:9
//   = note: for cpu, sm_80
// error[OFC0029]: `__offload_block_size` promises 1056 threads in a block; 1 to 1024 are possible
//   --> %s:17:14
//   = note: for cpu, sm_80
// error[OFC0029]: `__offload_block_size` contradicts the other promise about the threads of a block
//   --> %s:32:9
//   = note: for cpu, sm_80
