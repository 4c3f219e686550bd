// A loop by `step_by` divides nothing on an AMD GPU, for numbers of every width, and even if the step is the size of
// the block. The kernel of a division shows that the words are found.
// RUN[amd]: rustc --edition 2021 --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes %s -o in.bc; \
//   offloadc in.bc --offload-arch=gfx90a --emit=codegen=- | grep -oE '^_[^ ]*:|v_rcp' | sed 's/^_.*/kernel/'

extern "C" {
    fn __offload_thread_id_x() -> u32;
    fn __offload_block_dim_x() -> u32;
    fn __offload_kernel(function: *const ()) -> *const u8;
}

unsafe extern "C" fn by_block(n: usize, y: *mut f32) {
    for i in (__offload_thread_id_x() as usize..n).step_by(__offload_block_dim_x() as usize) {
        *y.add(i) = 1.0;
    }
}

unsafe extern "C" fn by_constant(n: u32, y: *mut f32) {
    for i in (__offload_thread_id_x()..n).step_by(96) {
        *y.add(i as usize) = 1.0;
    }
}

unsafe extern "C" fn from_zero(n: usize, y: *mut f32) {
    for i in (0..n).step_by(2) {
        *y.add(i) = 1.0;
    }
}

unsafe extern "C" fn quotient(n: u32, y: *mut u32) {
    *y = n / __offload_block_dim_x().max(1);
}

fn main() {
    unsafe {
        println!("{:?}", __offload_kernel(by_block as *const ()));
        println!("{:?}", __offload_kernel(by_constant as *const ()));
        println!("{:?}", __offload_kernel(from_zero as *const ()));
        println!("{:?}", __offload_kernel(quotient as *const ()));
    }
}
//// stdout[amd]
// kernel
// kernel
// kernel
// kernel
// v_rcp
