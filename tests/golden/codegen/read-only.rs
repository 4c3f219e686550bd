// Memory that a kernel promises not to write is read through NVIDIA's read-only cache, and by AMD's scalar loads where all
// threads read the same address. Without the promise it is read like other memory, because a store may change it.
// RUN[nvidia]: rustc --edition 2021 --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes %s -o in.bc; \
//   offloadc in.bc --offload-arch=sm_80 --emit=codegen=- | grep -oE '^.visible .entry|ld\.global[.a-z0-9]*|bar.sync'
// RUN[amd]: rustc --edition 2021 --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes %s -o in.bc; \
//   offloadc in.bc --offload-arch=gfx90a --emit=codegen=- | \
//   awk '/global_load|s_barrier/ { print $1 } /s_load/ && $3 !~ /s\[(4:5|6:7|8:9)\]/ { print $1 }'

extern "C" {
    fn __offload_read_only(pointer: *const f32);
    fn __offload_thread_id_x() -> u32;
    fn __offload_sync_threads();
    fn __offload_kernel(function: *const ()) -> *const u8;
}

unsafe fn scale(x: *const f32, y: *mut f32) {
    let i = __offload_thread_id_x() as usize;
    *y.add(i) = *x;
    __offload_sync_threads();
    *y.add(i) += *x * *x.add(i);
}

/// The factor is loaded once, before the barrier.
unsafe extern "C" fn promised(x: *const f32, y: *mut f32) {
    __offload_read_only(x);
    scale(x, y);
}

/// The factor is loaded twice.
unsafe extern "C" fn unknown(x: *const f32, y: *mut f32) {
    scale(x, y);
}

fn main() {
    unsafe { println!("{:?} {:?}", __offload_kernel(promised as *const ()), __offload_kernel(unknown as *const ())) };
}
//// stdout[nvidia]
// .visible .entry
// ld.global.nc.b32
// bar.sync
// ld.global.nc.b32
// ld.global.b32
// .visible .entry
// ld.global.b32
// bar.sync
// ld.global.b32
// ld.global.b32
// ld.global.b32
//// stdout[amd]
// s_load_dword
// s_barrier
// global_load_dword
// global_load_dword
// s_load_dword
// s_barrier
// global_load_dword
// global_load_dword
// global_load_dword
