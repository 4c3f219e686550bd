// `cudaLaunchKernel` and the like pass arguments only, so a kernel that takes the launch's state is refused. A panic
// is a trap by default, which takes no state.
// RUN[trap]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --kernel=checked --runtime=cuda --offload-arch=sm_80 -o out.o
// FAIL[report]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --kernel=checked --runtime=hip --offload-arch=gfx90a --device-panic=report -o out.o
// FAIL[heap]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --kernel=boxed --runtime=mgpu --offload-arch=sm_80 -o out.o
// RUN[none]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --kernel=boxed --runtime=none --offload-arch=sm_80 -o out.o

#[no_mangle]
pub extern "C" fn checked(i: u32, out: *mut u32) {
    let table = [1, 2, 3, 5];
    unsafe { *out = table[i as usize] }
}

#[no_mangle]
pub extern "C" fn boxed(i: u32, out: *mut u32) {
    let boxed = std::hint::black_box(Box::new(i));
    unsafe { *out = *boxed }
}
//// stderr[report]
// error[OFC0049]: kernel `checked` reports panics, and a launch with `--runtime=hip` passes arguments only
//   = help: omit `--device-panic`, or type `--device-panic=trap`
//// stderr[heap]
// error[OFC0049]: kernel `boxed` allocates memory, and a launch with `--runtime=mgpu` passes arguments only
//   = help: pass a buffer to the kernel, or use `--runtime=offloadrt`
