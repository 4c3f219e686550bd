// A lock is one error, at the line where the kernel takes it, and not three: `lock`, `unlock` and the count of panics are
// parts of it. Another kernel that takes it, and another type of lock, are separate errors.
// FAIL: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=0 -g %s -o in.bc; \
//   offloadc in.bc --kernel=k --kernel=reads --offload-arch=sm_80 -o out.o

use std::sync::{Mutex, RwLock};

static LOCK: Mutex<u32> = Mutex::new(1);
static OTHER: RwLock<u32> = RwLock::new(1);

#[no_mangle]
pub extern "C" fn k(out: *mut u32) {
    unsafe { *out = *LOCK.lock().unwrap() };
}

#[no_mangle]
pub extern "C" fn reads(out: *mut u32) {
    unsafe { *out = *OTHER.read().unwrap() };
}
//// stderr
// error[OFC0007]: kernel `k` reaches `<std::sys::sync::mutex::futex::Mutex>::lock_contended`, which needs an operating system
//   --> %s:13:27
//   = note: called through `k` → `std::sync::poison::mutex::Mutex<T>::lock` (%s:13:27) → `std::sys::sync::mutex::futex::Mutex::lock` → `<std::sys::sync::mutex::futex::Mutex>::lock_contended`
//   = note: for sm_80
//   = help: change what threads share with `offload::atomic`, or give each thread an element of its own; `offload::host_call!` can take a lock of the host
// error[OFC0007]: kernel `reads` reaches `<std::sys::sync::rwlock::futex::RwLock>::read_contended`, which needs an operating system
//   --> %s:18:28
//   = note: called through `reads` → `std::sync::poison::rwlock::RwLock<T>::read` (%s:18:28) → `std::sys::sync::rwlock::futex::RwLock::read` → `<std::sys::sync::rwlock::futex::RwLock>::read_contended`
//   = note: for sm_80
//   = help: change what threads share with `offload::atomic`, or give each thread an element of its own; `offload::host_call!` can take a lock of the host
