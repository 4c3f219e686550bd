// Printing, files, assembly, foreign functions and statics: one error each in one run, at the user's own line.
// FAIL[debug]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=0 -g %s -o in.bc; \
//   offloadc in.bc --kernel=k --offload-arch=sm_80,gfx90a -o out.o
// FAIL[recommended]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes -g %s \
//   -o in.bc; offloadc in.bc --kernel=k --offload-arch=sm_80,gfx90a -o out.o

extern "C" {
    fn outside(x: u32) -> u32;
    static THERE: u32;
}

fn report(i: u32) {
    println!("i is {i}");
}

#[no_mangle]
pub extern "C" fn k(i: u32, out: *mut u32) {
    report(i);
    unsafe {
        std::arch::asm!("nop");
        *out = outside(i) + THERE;
        *out += std::env::args().count() as u32;
    }
}
//// stderr[debug]
// error[OFC0010]: kernel `k` reaches inline assembly of the host
//   --> %s:20:9
//   = note: the instructions are `nop`
//   = note: for sm_80, gfx90a
//   = help: keep assembly out of kernels, or behind `if !is_device()`
// error[OFC0008]: kernel `k` reaches `outside`, which has no device code
//   --> %s:21:16
//   = note: called through `k` → `outside` (%s:21:16)
//   = note: for sm_80, gfx90a
//   = help: its body is not in the input: also give offloadc the bitcode of the crate that defines it
// error[OFC0034]: kernel `k` reaches static `THERE`, which is not defined in the input
//   --> %s:21:29
//   = note: reached through `k` → `THERE` (%s:21:29)
//   = note: for sm_80, gfx90a
//   = help: also give offloadc the bitcode of the crate that defines it; a static of a `dylib` that can change belongs to the kernels of that library
// error[OFC0007]: kernel `k` reaches `std::env::args`, which needs an operating system
//   --> %s:22:17
//   = note: called through `k` → `std::env::args` (%s:22:17)
//   = note: for sm_80, gfx90a
//   = help: with `--device-std`, the host runs it for a kernel that uses the `offload` crate; or move the call out of the kernel
// error[OFC0007]: kernel `k` reaches `std::io::stdio::_print`, which needs an operating system
//   --> %s:13:5
//   = note: called through `k` → `what_needs_the_host::report` (%s:18:5) → `std::io::stdio::_print` (%s:13:5)
//   = note: for sm_80, gfx90a
//   = help: print with `offload::device_println!` and `--device-print`; with `--device-std`, the host runs `println!` for a kernel that uses the `offload` crate
//// stderr[recommended]
// error[OFC0010]: kernel `k` reaches inline assembly of the host
//   --> %s:20:9
//   = note: the instructions are `nop`
//   = note: for sm_80, gfx90a
//   = help: keep assembly out of kernels, or behind `if !is_device()`
// error[OFC0008]: kernel `k` reaches `outside`, which has no device code
//   --> %s:21:16
//   = note: called through `k` → `outside` (%s:21:16)
//   = note: for sm_80, gfx90a
//   = help: its body is not in the input: also give offloadc the bitcode of the crate that defines it
// error[OFC0034]: kernel `k` reaches static `THERE`, which is not defined in the input
//   --> %s:21:29
//   = note: reached through `k` → `THERE` (%s:21:29)
//   = note: for sm_80, gfx90a
//   = help: also give offloadc the bitcode of the crate that defines it; a static of a `dylib` that can change belongs to the kernels of that library
// error[OFC0007]: kernel `k` reaches `std::env::args`, which needs an operating system
//   --> %s:22:17
//   = note: called through `k` → `std::env::args` (%s:22:17)
//   = note: for sm_80, gfx90a
//   = help: with `--device-std`, the host runs it for a kernel that uses the `offload` crate; or move the call out of the kernel
// error[OFC0007]: kernel `k` reaches `std::io::stdio::_print`, which needs an operating system
//   --> %s:13:5
//   = note: called through `k` → `what_needs_the_host::report` (%s:18:5) → `std::io::stdio::_print` (%s:13:5)
//   = note: for sm_80, gfx90a
//   = help: print with `offload::device_println!` and `--device-print`; with `--device-std`, the host runs `println!` for a kernel that uses the `offload` crate
