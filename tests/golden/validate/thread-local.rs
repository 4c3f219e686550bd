// A kernel that keeps a value per host thread is refused, with the user's line.
// FAIL: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=0 -g %s -o in.bc; \
//   offloadc in.bc --kernel=k --offload-arch=sm_80 -o out.o

use std::cell::Cell;

thread_local!(static COUNT: Cell<u32> = const { Cell::new(3) });

#[no_mangle]
pub extern "C" fn k(out: *mut u32) {
    COUNT.with(|count| count.set(count.get() + 1));
    unsafe { *out = COUNT.with(|count| count.get()) }
}
//// stderr
// error[OFC0009]: kernel `k` reaches static `thread_local::COUNT`, which is thread-local
//   --> %s:11:11
//   = note: reached through `k` → `core::ops::function::FnOnce::call_once` (%s:11:11) → `thread_local::COUNT`
//   = note: for sm_80
//   = help: devices have no thread-local statics; pass the value as an argument
