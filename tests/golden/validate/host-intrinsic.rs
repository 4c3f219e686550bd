// An instruction of the host's processor is refused, at the line of the user's call and not of what wraps it.
// FAIL: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc; \
//   offloadc in.bc --kernel=k --offload-arch=cpu,gfx90a -o out.o

use std::arch::x86_64::*;

#[no_mangle]
pub extern "C" fn k(i: i32, out: *mut __m128i) {
    unsafe {
        let v = _mm_setr_epi32(1, 2, 3, i);
        *out = _mm_madd_epi16(v, v);
    }
}
//// stderr
// error[OFC0011]: kernel `k` reaches `llvm.x86.sse2.pmadd.wd`, which is an instruction of the host's processor
//   --> %s:11:16
//   = note: called through `k` → `core::core_arch::x86::sse2::_mm_madd_epi16` (%s:11:16) → `llvm.x86.sse2.pmadd.wd`
//   = note: for cpu, gfx90a
//   = help: write the kernel without `core::arch`; the compiler vectorises for each device
