// The promises of a kernel about its launches become each target's own attributes, also through inlined functions.
// RUN[nvidia]: rustc --edition 2021 --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes %s -o in.bc; \
//   offloadc in.bc --offload-arch=sm_80 --emit=codegen=- | grep -E '^\.(visible|maxntid|minnctapersm|reqntid)' | sed 's,//.*,,'
// RUN[opt-level-0]: rustc --edition 2021 --emit=llvm-bc -C opt-level=0 %s -o in.bc; \
//   offloadc in.bc --offload-arch=sm_80 -O0 --emit=codegen=- | grep -cE '^\.(maxntid 256|minnctapersm 2|reqntid 16, 8, 1)'
// RUN[amd]: rustc --edition 2021 --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --offload-arch=gfx90a --emit=codegen=- | \
//   grep -E '^ *(- *)?\.(max_flat_workgroup_size|name: +(b|s)|reqd_workgroup_size)|^ +- [0-9]+$'
// RUN[amd-waves]: rustc --edition 2021 --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --offload-arch=gfx1100 --emit=flavor=- | grep -o '"amdgpu-waves-per-eu"="[0-9]*"'
// RUN[spirv]: rustc --edition 2021 --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --offload-arch=spirv64 --emit=image=x.spv; spirv-dis x.spv | grep -o 'LocalSize.*'
// RUN[runs]: rustc --edition 2021 --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --offload-arch=cpu --runtime=none -o out.o; llvm-nm -u out.o | { ! grep __offload_; }
// REQUIRES: spirv-dis

extern "C" {
    fn __offload_launch_bounds(threads: u32, blocks: u32);
    fn __offload_block_size(x: u32, y: u32, z: u32);
    fn __offload_thread_id_x() -> u32;
    fn __offload_kernel(function: *const ()) -> *const u8;
}

fn bounded<const THREADS: u32, const BLOCKS: u32>() {
    unsafe { __offload_launch_bounds(THREADS, BLOCKS) }
}

#[no_mangle]
extern "C" fn bound(out: *mut u32) {
    bounded::<256, 2>();
    unsafe { *out = __offload_thread_id_x() }
}

#[no_mangle]
extern "C" fn sized(out: *mut u32) {
    unsafe {
        __offload_block_size(16, 8, 1);
        *out = __offload_thread_id_x();
    }
}

#[no_mangle]
extern "C" fn free(out: *mut u32) {
    unsafe { *out = __offload_thread_id_x() }
}

fn main() {
    for kernel in [bound, sized, free] {
        kernel(&mut 0);
    }
    unsafe {
        println!("{:?}", __offload_kernel(bound as *const ()));
        println!("{:?}", __offload_kernel(sized as *const ()));
        println!("{:?}", __offload_kernel(free as *const ()));
    }
}
//// stdout[nvidia]
// .visible .entry bound(
// .maxntid 256
// .minnctapersm 2
// .visible .entry sized(
// .reqntid 16, 8, 1
// .visible .entry free(
//// stdout[opt-level-0]
// 3
//// stdout[amd]
//     .max_flat_workgroup_size: 256
//     .name:           bound
//     .max_flat_workgroup_size: 128
//     .name:           sized
//     .max_flat_workgroup_size: 1024
//   - 1
//   - 2
//// stdout[amd-waves]
// "amdgpu-waves-per-eu"="4"
//// stdout[spirv]
// LocalSize 16 8 1
