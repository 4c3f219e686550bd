// An option that is not constant, not possible, or contradicts another is refused where it stands.
// FAIL: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes -g %s -o in.bc; \
//   offloadc in.bc '--kernel=k?' --offload-arch=cpu,sm_80 -o out.o

extern "C" {
    fn __offload_max_registers(count: u32);
    fn __offload_fp_contract(rule: u32);
    fn __offload_fast_math();
    fn __offload_unroll(count: u32);
}

#[no_mangle]
pub extern "C" fn k1() {
    unsafe { __offload_max_registers(16) }
}

#[no_mangle]
pub extern "C" fn k2() {
    unsafe {
        __offload_max_registers(64);
        __offload_max_registers(32);
    }
}

#[no_mangle]
pub extern "C" fn k3(n: u32) {
    unsafe { __offload_fp_contract(n) }
}

#[no_mangle]
pub extern "C" fn k4() {
    unsafe { __offload_fp_contract(2) }
}

#[no_mangle]
pub extern "C" fn k5() {
    unsafe {
        __offload_fp_contract(0);
        __offload_fast_math();
    }
}

#[no_mangle]
pub extern "C" fn k6(out: *mut u32, n: u32) {
    for i in 0..n {
        unsafe {
            __offload_unroll(n);
            *out = i;
        }
    }
}

#[no_mangle]
pub extern "C" fn k7(out: *mut u32, n: u32) {
    for i in 0..n {
        unsafe {
            __offload_unroll(5000);
            *out.add(i as usize) = i;
        }
    }
}
//// stderr
// error[OFC0029]: `__offload_max_registers` asks for 16 registers of a thread; 24 to 255 are possible
//   --> %s:14:14
//   = note: for cpu, sm_80
// error[OFC0029]: `__offload_max_registers` contradicts an earlier call
//   --> %s:21:9
//   = note: for cpu, sm_80
// error[OFC0029]: `__offload_fp_contract` needs a constant argument
//   --> %s:27:14
//   = note: for cpu, sm_80
// error[OFC0029]: `__offload_fp_contract` has the argument 2; 0 and 1 are possible
//   --> %s:32:14
//   = note: for cpu, sm_80
// error[OFC0029]: `__offload_fp_contract` contradicts another call in the same function
//   --> %s:38:9
//   = note: for cpu, sm_80
// error[OFC0029]: `__offload_fast_math` contradicts another call in the same function
//   --> %s:39:9
//   = note: for cpu, sm_80
// error[OFC0029]: `__offload_unroll` needs a constant argument
//   --> %s:47:13
//   = note: for cpu, sm_80
// error[OFC0029]: `__offload_unroll` asks for 5000 copies of a loop; 1 to 1024 are possible
//   --> %s:57:13
//   = note: for cpu, sm_80
