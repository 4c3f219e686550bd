// An instruction of the host's processor is refused, at the line of the user's call and not of its wrapper.
// FAIL: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc; \
//   offloadc in.bc --kernel=k --offload-arch=cpu,gfx90a -o out.o

use std::arch::x86_64::*;

#[no_mangle]
pub extern "C" fn k(i: u64, out: *mut u64) {
    unsafe {
        let scaled = i * 3;
        *out = _rdtsc() + scaled;
    }
}
//// stderr
// error[OFC0011]: kernel `k` reaches `llvm.x86.rdtsc`, which is an instruction of the host's CPU
//   --> %s:11:16
//   = note: called through `k` → `core::core_arch::x86::rdtsc::_rdtsc` (%s:11:16) → `llvm.x86.rdtsc`
//   = note: for cpu, gfx90a
//   = help: write the kernel without `core::arch`; the compiler vectorises for each device
