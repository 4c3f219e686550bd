// Replacements of a lazy static, a thread and a pause: each error has its own advice, also where the first function
// that needs the system is another one.
// FAIL: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes -g %s -o in.bc; \
//   offloadc in.bc --kernel=k --kernel=lazy --kernel=sleeps --offload-arch=sm_80 -o out.o

use std::sync::LazyLock;
static TABLE: LazyLock<[u32; 4]> = LazyLock::new(|| [1, 2, 3, 4]);
#[no_mangle]
pub extern "C" fn k(out: *mut u32) {
    let thread = std::thread::spawn(|| 5u32);
    unsafe { *out = thread.join().unwrap_or(0) };
}
#[no_mangle]
pub extern "C" fn lazy(i: usize, out: *mut u32) {
    unsafe { *out = TABLE[i & 3] };
}
#[no_mangle]
pub extern "C" fn sleeps(out: *mut u32) {
    std::thread::sleep(std::time::Duration::from_millis(1));
    unsafe { *out = 1 };
}
//// stderr
// error[OFC0007]: kernel `sleeps` reaches `std::thread::functions::sleep`, which needs an operating system
//   --> %s:19:5
//   = note: called through `sleeps` → `std::thread::functions::sleep` (%s:19:5)
//   = note: for sm_80
//   = help: wait with `offload::thread::nanosleep`
// error[OFC0007]: kernel `k` reaches `std::thread::join_handle::JoinHandle<T>::join`, which needs an operating system
//   --> %s:11:28
//   = note: called through `k` → `std::thread::join_handle::JoinHandle<T>::join` (%s:11:28)
//   = note: for sm_80
//   = help: a kernel cannot start threads: launch it with more of them, or start the thread on the host
// error[OFC0007]: kernel `lazy` reaches `<std::sys::sync::once::futex::Once>::call`, which needs an operating system
//   --> %s:15:21
//   = note: called through `lazy` → `<std::sync::lazy_lock::LazyLock<T,F> as core::ops::deref::Deref>::deref` (%s:15:21) → … → `<std::sys::sync::once::futex::Once>::call`
//   = note: for sm_80
//   = help: compute the value on the host and pass it to the kernel, or make it a `const`; `offload::device_static!` declares a static that the host sets
// error[OFC0007]: kernel `k` reaches `std::thread::functions::spawn`, which needs an operating system
//   --> %s:10:18
//   = note: called through `k` → `std::thread::functions::spawn` (%s:10:18)
//   = note: for sm_80
//   = help: a kernel cannot start threads: launch it with more of them, or start the thread on the host
