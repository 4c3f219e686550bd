// Safe Rust that leads a thread back to its own locals and its own copy of an argument: the values that it reads there
// differ between threads.
// FAIL[O]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O %s -o in.bc; \
//   offloadc -w in.bc --kernel=chosen --kernel=copied --kernel=argument --offload-arch=cpu --emit=validate=- 2>&1 | \
//   grep ^error
// FAIL[facts]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes %s -o in.bc; \
//   offloadc -w in.bc --kernel=chosen --kernel=copied --kernel=argument --offload-arch=cpu --emit=validate=- 2>&1 | \
//   grep ^error
// FAIL[whole]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=0 %s -o in.bc; \
//   offloadc -w in.bc --kernel=chosen --kernel=copied --kernel=argument --offload-arch=cpu --emit=validate=- 2>&1 | \
//   grep ^error

use std::cell::Cell;

extern "C" {
    fn __offload_thread_id_x() -> u32;
    fn __offload_sync_threads();
}

#[repr(C)]
pub struct Table([u32; 8]);

/// One of two locals, by a reference in an array.
#[no_mangle]
pub extern "C" fn chosen(n: u32) {
    let t = unsafe { __offload_thread_id_x() };
    let (a, b) = (Cell::new(0), Cell::new(0));
    let either = [&a, &b][n as usize % 2];
    unsafe { __offload_sync_threads() };
    a.set(t);
    if either.get() == 3 {
        unsafe { __offload_sync_threads() };
    }
}

/// A copy of one of two locals.
#[no_mangle]
pub extern "C" fn copied(n: u32) {
    let t = unsafe { __offload_thread_id_x() };
    let (mut a, b) = ([0; 8], [0; 8]);
    a[n as usize % 8] = t;
    let copy: [u32; 8] = *[&a, &b][n as usize % 2];
    if copy[n as usize % 4] == 3 {
        unsafe { __offload_sync_threads() };
    }
}

/// An argument that each thread changes.
#[no_mangle]
pub extern "C" fn argument(mut table: Table, n: u32) {
    table.0[n as usize % 8] = unsafe { __offload_thread_id_x() };
    if table.0[n as usize % 4] == 3 {
        unsafe { __offload_sync_threads() };
    }
}
//// stdout[O]
// error[OFC0012]: kernel `chosen` has a barrier under control flow that differs between threads
// error[OFC0012]: kernel `copied` has a barrier under control flow that differs between threads
// error[OFC0012]: kernel `argument` has a barrier under control flow that differs between threads
//// stdout[facts]
// error[OFC0012]: kernel `chosen` has a barrier under control flow that differs between threads
// error[OFC0012]: kernel `copied` has a barrier under control flow that differs between threads
// error[OFC0012]: kernel `argument` has a barrier under control flow that differs between threads
//// stdout[whole]
// error[OFC0012]: kernel `chosen` has a barrier under control flow that differs between threads
// error[OFC0012]: kernel `copied` has a barrier under control flow that differs between threads
// error[OFC0012]: kernel `argument` has a barrier under control flow that differs between threads
