// A fault that several kernels share is shown once, with the names of the kernels.
// FAIL: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --kernel=k* --offload-arch=sm_80,gfx90a -o out.o

extern "C" {
    fn outside(x: u32) -> u32;
}

#[no_mangle]
pub extern "C" fn k1(out: *mut u32) {
    unsafe { *out = outside(1) }
}

#[no_mangle]
pub extern "C" fn k2(out: *mut u32) {
    unsafe { *out = outside(2) }
}

#[no_mangle]
pub extern "C" fn k3(out: *mut u32) {
    unsafe { *out = 3 }
}
//// stderr
// error[OFC0008]: kernel `k1` reaches `outside`, which has no device code
//   = note: called through `k1` → `outside`
//   = note: also called through `k2` → `outside`
//   = note: for sm_80, gfx90a
//   = help: its body is not in the input: also give offloadc the bitcode of the crate that defines it
