// A static that kernels change is copied to the device: one warning for each, which `-W` rules; constants give none.
// RUN[warned]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc; \
//   offloadc in.bc --kernel=k* --offload-arch=sm_80,gfx90a -o out.o
// RUN[hidden]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --kernel=k* --offload-arch=sm_80,gfx90a -Wno-device-static-copy -o out.o
// FAIL[refused]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --kernel=k* --offload-arch=sm_80,gfx90a -Werror=device-static-copy -o out.o

use std::sync::atomic::{AtomicU32, Ordering};

static TOTAL: AtomicU32 = AtomicU32::new(0);
static TABLE: [u32; 4] = [1, 2, 3, 4];

#[no_mangle]
pub extern "C" fn k1(i: usize, out: *mut u32) {
    let before = TOTAL.fetch_add(1, Ordering::Relaxed);
    unsafe { *out = TABLE[i] + before }
}

#[no_mangle]
pub extern "C" fn k2(out: *mut u32) {
    unsafe { *out = TOTAL.load(Ordering::Relaxed) }
}
//// stderr[warned]
// warning[OFC0017]: kernel `k1` reaches static `device_static_copy::TOTAL`, which the device gets a copy of its own of; the host does not see it change
//   --> %s:16:24
//   = note: reached through `k1` → `<core::sync::atomic::AtomicU32>::fetch_add` (%s:16:24) → `core::sync::atomic::atomic_add` → `device_static_copy::TOTAL`
//   = note: also reached through `k2` → `<core::sync::atomic::AtomicU32>::load` (%s:22:27) → `core::sync::atomic::atomic_load` → `device_static_copy::TOTAL`
//   = note: for sm_80, gfx90a
//   = help: pass a pointer to device memory instead
//// stderr[refused]
// error[OFC0017]: kernel `k1` reaches static `device_static_copy::TOTAL`, which the device gets a copy of its own of; the host does not see it change
//   = note: reached through `k1` → `device_static_copy::TOTAL`
//   = note: also reached through `k2` → `device_static_copy::TOTAL`
//   = note: for sm_80, gfx90a
//   = help: pass a pointer to device memory instead
