// AMD's matrix and lane instructions are reached by name; results of more than 16 bytes come back through memory.
// RUN[isa]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes %s -o in.bc; \
//   offloadc in.bc --kernel=outer --kernel=swap --offload-arch=gfx90a --emit=codegen=-
// CHECK[isa]: outer:
// CHECK[isa]: v_mfma_f32_32x32x1{{.*}}f32
// CHECK-NOT[isa]: scratch_{{.*}}load
// CHECK[isa]: swap:
// CHECK[isa]: ds_bpermute_b32
// CHECK-NOT[isa]: scratch_{{.*}}load
// RUN[opt-level-0]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=0 %s -o in.bc; \
//   offloadc in.bc --kernel=outer --kernel=swap --offload-arch=gfx908,gfx90a,gfx942 -o out.o

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Accumulator([f32; 32]);

extern "C" {
    #[link_name = "__offload_intrinsic.llvm.amdgcn.mfma.f32.32x32x1f32"]
    fn outer_product(a: f32, b: f32, c: Accumulator, broadcast: u32, block: u32, permute: u32) -> Accumulator;
    #[link_name = "__offload_intrinsic.llvm.amdgcn.ds.bpermute"]
    fn permute(address: u32, value: u32) -> u32;
    fn __offload_thread_id_x() -> u32;
}

#[no_mangle]
pub extern "C" fn outer(a: *const f32, b: *const f32, c: *mut Accumulator) {
    unsafe {
        let lane = __offload_thread_id_x() as usize;
        let c = c.add(lane);
        *c = outer_product(*a.add(lane), *b.add(lane), *c, 1, 2, 3);
    }
}

#[no_mangle]
pub extern "C" fn swap(values: *mut u32) {
    unsafe {
        let lane = __offload_thread_id_x();
        let value = values.add(lane as usize);
        *value = permute((lane ^ 1) * 4, *value);
    }
}
