// Code that is not optimised has its variables in debug information, at addresses in memory, on each GPU.
// RUN[nvidia]: rustc --edition 2021 --emit=llvm-bc -C opt-level=0 -g %s -o in.bc; \
//   offloadc in.bc --offload-arch=sm_80-real -O0 -g --ptxas "$(command -v ptxas)" --emit=image=out.cubin; \
//   llvm-dwarfdump --name=scale --show-children out.cubin | grep -oE 'DW_AT_name.*|fbreg|address_class'
// REQUIRES: ptxas
// RUN[amd]: rustc --edition 2021 --emit=llvm-bc -C opt-level=0 -g %s -o in.bc; \
//   offloadc in.bc --offload-arch=gfx90a -O0 -g --emit=image=out.o; llvm-dwarfdump --name=scale --show-children out.o | \
//   grep -oE 'DW_AT_name.*|fbreg'
// Optimised code has lines alone on NVIDIA's GPUs, whose assembler refuses more.
// RUN[optimised]: rustc --edition 2021 --emit=llvm-bc -C opt-level=0 -g %s -o in.bc; \
//   offloadc in.bc --offload-arch=sm_80 -g --emit=codegen=- | grep -E '^.target|debug_info'

extern "C" {
    fn __offload_thread_id_x() -> u32;
    fn __offload_kernel(function: *const ()) -> *const u8;
}

unsafe extern "C" fn scale(by: f32, x: *const f32, y: *mut f32) {
    let i = __offload_thread_id_x() as usize;
    let product = by * *x.add(i);
    *y.add(i) += product;
}

fn main() {
    unsafe { __offload_kernel(scale as *const ()) };
}
//// stdout[nvidia]
// DW_AT_name	("scale")
// address_class
// fbreg
// DW_AT_name	("by")
// address_class
// fbreg
// DW_AT_name	("x")
// address_class
// fbreg
// DW_AT_name	("y")
// address_class
// fbreg
// DW_AT_name	("i")
// address_class
// fbreg
// address_class
// fbreg
// address_class
// fbreg
// DW_AT_name	("product")
// address_class
// fbreg
// address_class
// fbreg
//// stdout[amd]
// DW_AT_name	("scale")
// fbreg
// DW_AT_name	("by")
// fbreg
// DW_AT_name	("x")
// fbreg
// DW_AT_name	("y")
// fbreg
// DW_AT_name	("i")
// fbreg
// fbreg
// fbreg
// DW_AT_name	("product")
// fbreg
// fbreg
//// stdout[optimised]
// .target sm_80
