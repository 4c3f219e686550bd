// Code for optional features of a processor is never entered if a test decides on it, and is an error without a test.
// FAIL: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes -g %s -o in.bc; \
//   offloadc in.bc --kernel=outright --offload-arch=cpu,sm_80 -o out.o
// RUN[tested]: for flags in -O -Copt-level=0; do \
//   rustc --edition 2021 --crate-type lib --emit=llvm-bc $flags %s -o in.bc; \
//   offloadc in.bc --kernel=tested --offload-arch=cpu,sm_80 -o out.o; done

use std::arch::x86_64::*;

#[target_feature(enable = "avx2")]
unsafe fn madd(v: __m256i) -> __m256i {
    _mm256_madd_epi16(v, v)
}

#[no_mangle]
pub unsafe extern "C" fn outright(n: u32, i: u32, p: *mut __m256i) {
    if i < n {
        *p = madd(*p);
    }
}

#[no_mangle]
pub unsafe extern "C" fn tested(p: *mut __m256i) {
    if is_x86_feature_detected!("avx2") {
        *p = madd(*p);
    }
}
//// stderr
// error[OFC0011]: kernel `outright` reaches `llvm.x86.avx2.pmadd.wd`, which is an instruction of the host's CPU
//   --> %s:12:5
//   = note: called through `outright` → `optional_features::madd` (%s:18:14) → `core::core_arch::x86::avx2::_mm256_madd_epi16` (%s:12:5) → `llvm.x86.avx2.pmadd.wd`
//   = note: for cpu, sm_80
//   = help: write the kernel without `core::arch`; the compiler vectorises for each device
