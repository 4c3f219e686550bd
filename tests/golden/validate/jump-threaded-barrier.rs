// Barriers that rustc's own optimiser copied into branches are one again in the code of every device.
// RUN[O]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O %s -o in.bc; \
//   for arch in sm_80 gfx90a; do offloadc in.bc --kernel=k --offload-arch=$arch --emit=codegen=-; done | grep -c -e 'bar.sync' -e 's_barrier'
// RUN[facts]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes %s -o in.bc; \
//   for arch in sm_80 gfx90a; do offloadc in.bc --kernel=k --offload-arch=$arch --emit=codegen=-; done | grep -c -e 'bar.sync' -e 's_barrier'
// RUN[whole]: rustc --edition 2021 --crate-type lib --emit=llvm-bc -C opt-level=0 -g %s -o in.bc; \
//   for arch in sm_80 gfx90a; do offloadc in.bc --kernel=k --offload-arch=$arch --emit=codegen=-; done | grep -c -e 'bar.sync' -e 's_barrier'

extern "C" {
    fn __offload_thread_id_x() -> u32;
    fn __offload_sync_threads();
}

#[no_mangle]
pub unsafe extern "C" fn k(out: *mut u32) {
    let t = __offload_thread_id_x();
    if t < 16 {
        *out = 1;
    }
    __offload_sync_threads();
    if t < 16 {
        *out.add(1) = 2;
    }
}
//// stdout[O]
// 2
//// stdout[facts]
// 2
//// stdout[whole]
// 2
