// A barrier that rustc's own optimiser copied into branches is refused with the flags that keep it whole, and these do.
// FAIL[copied]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc; \
//   offloadc in.bc --kernel=k --offload-arch=sm_80 -o out.o
// RUN[whole]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=0 -g %s -o in.bc; \
//   offloadc in.bc --kernel=k --offload-arch=cpu,sm_80,gfx90a -o out.o

extern "C" {
    fn __offload_thread_id_x() -> u32;
    fn __offload_sync_threads();
}

#[no_mangle]
pub unsafe extern "C" fn k(out: *mut u32) {
    let t = __offload_thread_id_x();
    if t < 16 {
        *out = 1;
    }
    __offload_sync_threads();
    if t < 16 {
        *out.add(1) = 2;
    }
}
//// stderr[copied]
// error[OFC0012]: kernel `k` has a barrier under control flow that differs between threads
//   --> %s:18:5
//   = note: all threads of a block must reach the same barrier; the compiler that made this input may have duplicated or moved it
//   = note: for sm_80
//   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`, or with `-C opt-level=0` where rustc itself copied the barrier
//   = help: if the source has the barrier inside a condition on the thread's position, move it out
