// C's heap is the host's; Rust's own needs memory that the launch passes, which `inspect` shows.
// FAIL: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc; \
//   offloadc in.bc --kernel=c --offload-arch=sm_80 -o out.o
// RUN[inspect]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --kernel=rust --offload-arch=cpu,sm_80,gfx90a,spirv64 -o out.o; \
//   offloadc inspect out.o | grep 'needs a heap'; offloadc inspect out.o --json | grep heap
// Memory that a later launch may find is not reused: a static with an address keeps it; a counter or constant does not.
// RUN[kept]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --kernel=kept --kernel=counted --offload-arch=cpu -Wno-device-static-copy -o out.o; \
//   offloadc inspect out.o | grep 'heap'

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
static mut LAST: &u32 = &0;
static COUNT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

#[no_mangle]
pub extern "C" fn kept(i: u32, out: *mut u32) {
    unsafe {
        *out = *LAST;
        LAST = Box::leak(Box::new(i));
    }
}

#[no_mangle]
pub extern "C" fn counted(i: u32, out: *mut u32) {
    let boxed = std::hint::black_box(Box::new(i));
    let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    unsafe { *out = *boxed + count as u32 }
}
//// stderr
// error[OFC0033]: kernel `c` reaches `malloc`, which needs C's heap, which devices do not have
//   --> %s:18:21
//   = note: called through `c` → `malloc` (%s:18:21)
//   = note: for sm_80
//   = help: use `Box`, `Vec` or `String`, or allocate on the host and pass the memory to the kernel
//// stdout[inspect]
//   rust: 16 argument bytes, 0 shared bytes; has cpu code; needs a heap
//               "needs_heap": true,
//               "keeps_heap": false,
//// stdout[kept]
//   kept: 16 argument bytes, 0 shared bytes; has cpu code; needs a heap and keeps it
//   counted: 16 argument bytes, 0 shared bytes; has cpu code; needs a heap
