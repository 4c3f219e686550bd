// C's heap is the host's; Rust's own needs memory that the launch gives, which `inspect` shows.
// FAIL: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc; \
//   offloadc in.bc --kernel=c --offload-arch=sm_80 -o out.o
// RUN[inspect]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --kernel=rust --offload-arch=cpu,sm_80,gfx90a,spirv64 -o out.o; \
//   offloadc inspect out.o | grep 'needs a heap'; offloadc inspect out.o --json | grep heap

extern "C" {
    fn malloc(size: usize) -> *mut u32;
}

#[no_mangle]
pub extern "C" fn c(i: u32, out: *mut *mut u32) {
    unsafe { *out = malloc(i as usize) }
}

#[no_mangle]
pub extern "C" fn rust(i: u32, out: *mut u32) {
    let boxed = std::hint::black_box(Box::new(i));
    unsafe { *out = *boxed }
}
//// stderr
// error[OFC0033]: kernel `c` reaches `malloc`, which needs C's heap, and devices have none
//   --> %s:14:21
//   = note: called through `c` → `malloc` (%s:14:21)
//   = note: for sm_80
//   = help: use `Box`, `Vec` or `String`, or allocate on the host and pass the memory to the kernel
//// stdout[inspect]
//   rust: 16 argument bytes, 0 shared bytes; has cpu code; needs a heap
//               "needs_heap": true,
