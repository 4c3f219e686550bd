// A static that kernels change is copied to the device: one warning for each, which `-W` controls; constants have none.
// RUN[warned]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc; \
//   offloadc in.bc --kernel=k* --offload-arch=sm_80,gfx90a -o out.o
// RUN[hidden]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --kernel=k* --offload-arch=sm_80,gfx90a -Wno-device-static-copy -o out.o
// FAIL[refused]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --kernel=k* --offload-arch=sm_80,gfx90a -Werror=device-static-copy -o out.o

static mut TOTALS: [u32; 4] = [0; 4];
static TABLE: [u32; 4] = [1, 2, 3, 4];

fn add(i: usize) -> u32 {
    unsafe {
        TOTALS[i % 4] += 1;
        TOTALS[i % 4]
    }
}

#[no_mangle]
pub extern "C" fn k1(i: usize, out: *mut u32) {
    let total = add(i);
    unsafe { *out = TABLE[i] + total }
}

#[no_mangle]
pub extern "C" fn k2(i: usize, out: *mut u32) {
    unsafe { *out = TOTALS[i % 4] }
}

/// The section marks the copy as intended.
#[link_section = ".offload.static"]
static mut MEANT: u32 = 0;

#[no_mangle]
pub extern "C" fn k3(out: *mut u32) {
    unsafe {
        MEANT += 1;
        *out = MEANT;
    }
}
//// stderr[warned]
// warning[OFC0017]: kernel `k2` reaches static `device_static_copy::TOTALS`, of which the device has a separate copy; the host does not see its changes
//   --> %s:27:21
//   = note: reached through `k2` → `device_static_copy::TOTALS` (%s:27:21)
//   = note: also reached through `k1` → `device_static_copy::add` (%s:21:17) → `device_static_copy::TOTALS` (%s:14:9)
//   = note: for sm_80, gfx90a
//   = help: share memory by a parameter `&[Atomic<T>]`, with `&mut buffer` in the launch, or declare the static with `device_static!`, which the host reads by `NAME.to_host(&stream)`; a pointer to device memory is a parameter, too
//// stderr[refused]
// error[OFC0017]: kernel `k1` reaches static `device_static_copy::TOTALS`, of which the device has a separate copy; the host does not see its changes
//   = note: reached through `k1` → `device_static_copy::TOTALS`
//   = note: also reached through `k2` → `device_static_copy::TOTALS`
//   = note: for sm_80, gfx90a
//   = help: share memory by a parameter `&[Atomic<T>]`, with `&mut buffer` in the launch, or declare the static with `device_static!`, which the host reads by `NAME.to_host(&stream)`; a pointer to device memory is a parameter, too
