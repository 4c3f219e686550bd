// Printing becomes a call of the device's driver if it is asked for. Otherwise it is removed with a warning.
// RUN[nvidia]: rustc --edition 2021 --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --offload-arch=sm_80 --device-print --emit=codegen=-
// CHECK[nvidia]: .extern .func (.param .b32 func_retval0) vprintf
// RUN[amd]: rustc --edition 2021 --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --offload-arch=gfx90a --device-print --emit=codegen=-
// CHECK[amd]: global_atomic_cmpswap
// CHECK[amd]: .offset: 88
// CHECK[amd]: .value_kind: hidden_printf_buffer
// CHECK[amd]: amdhsa.printf:
// CHECK[amd]: - '0:0:6f66666c6f616470,%s'
// RUN[dropped]: rustc --edition 2021 --emit=llvm-bc -O -g %s -o in.bc; \
//   offloadc in.bc --offload-arch=sm_80 --emit=simplify=- | { ! grep __offload_print; }

extern "C" {
    fn __offload_print(text: *const u8, length: usize);
    fn __offload_kernel(function: *const ()) -> *const u8;
}

extern "C" fn shout(text: *const u8, length: usize) {
    unsafe { __offload_print(text, length) }
}

fn main() {
    let _handle = unsafe { __offload_kernel(shout as *const ()) };
}
//// stderr[dropped]
// warning[OFC0037]: calls of `__offload_print` print nothing on devices
//   --> %s:21:14
//   = help: `--device-print` keeps them
