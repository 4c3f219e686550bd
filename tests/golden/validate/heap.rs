// What needs a heap says so.
// FAIL: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc; \
//   offloadc in.bc --kernel=k --offload-arch=sm_80 -o out.o

#[no_mangle]
pub extern "C" fn k(i: u32, out: *mut u32) {
    let boxed: Box<dyn Fn() -> u32> = std::hint::black_box(Box::new(move || i));
    unsafe { *out = boxed() }
}
//// stderr
// error[OFC0033]: kernel `k` reaches `__rustc::__rust_no_alloc_shim_is_unstable_v2`, which needs a heap, and devices have none
//   --> %s:7:60
//   = note: called through `k` → `alloc::boxed::Box<T>::new` (%s:7:60) → … → `__rustc::__rust_no_alloc_shim_is_unstable_v2`
//   = note: for sm_80
//   = help: allocate on the host and pass the memory to the kernel
