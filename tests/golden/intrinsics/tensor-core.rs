// NVIDIA's matrix instructions are reached by name: fragments are structs of the same bytes, shared pointers are cast.
// RUN[ptx]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes %s -o in.bc; \
//   offloadc in.bc --kernel=tile --offload-arch=sm_80 --emit=codegen=-
// CHECK[ptx]: .visible .entry tile
// CHECK[ptx]: cp.async.ca.shared.global
// CHECK[ptx]: cp.async.commit_group
// CHECK[ptx]: cp.async.wait_group 0
// CHECK[ptx]: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK[ptx]: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT[ptx]: .local
// RUN[opt-level-0]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=0 %s -o in.bc; \
//   offloadc in.bc --kernel=tile --offload-arch=sm_80,sm_90 -o out.o --ptxas "$(command -v ptxas)"
// RUN[assembled]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc; \
//   offloadc in.bc --kernel=tile --offload-arch=sm_80,sm_90 -o out.o -g --ptxas "$(command -v ptxas)"
// REQUIRES: ptxas

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Fragment([u32; 4]);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Accumulator([f32; 4]);

#[allow(clashing_extern_declarations)]
extern "C" {
    #[link_name = "__offload_intrinsic.llvm.nvvm.cp.async.ca.shared.global.16"]
    fn copy_16(to: *mut u8, from: *const u8);
    #[link_name = "__offload_intrinsic.llvm.nvvm.cp.async.commit.group"]
    fn commit_group();
    #[link_name = "__offload_intrinsic.llvm.nvvm.cp.async.wait.group"]
    fn wait_group(count: u32);
    #[link_name = "__offload_intrinsic.llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3"]
    fn load_matrix(from: *const u8) -> Fragment;
    #[link_name = "__offload_intrinsic.llvm.nvvm.mma.m16n8k16.row.col.f32.f32"]
    fn multiply(
        a0: u32, a1: u32, a2: u32, a3: u32, b0: u32, b1: u32, c0: f32, c1: f32, c2: f32, c3: f32,
    ) -> Accumulator;
    fn __offload_thread_id_x() -> u32;
    fn __offload_sync_threads();
}

#[link_section = ".offload.shared"]
static mut TILE: [u64; 128] = [0; 128];

#[no_mangle]
pub extern "C" fn tile(a: *const u8, b0: u32, b1: u32, out: *mut Accumulator) {
    unsafe {
        let lane = __offload_thread_id_x() as usize;
        let tile = &raw mut TILE as *mut u8;
        copy_16(tile.add(lane * 16), a.add(lane * 16));
        commit_group();
        wait_group(0);
        __offload_sync_threads();
        let Fragment(a) = load_matrix(tile.add(lane * 16));
        *out.add(lane) = multiply(a[0], a[1], a[2], a[3], b0, b1, 0.0, 0.0, 0.0, 0.0);
    }
}
