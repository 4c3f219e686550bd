// On the host an intrinsic has no meaning: a call that is reached ends the program, and other calls do no harm.
// RUN: rustc --edition 2021 --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes %s -o in.bc; \
//   offloadc in.bc --offload-arch=gfx90a --emit=exe -o x; ./x; (./x reached || echo ended) 2>/dev/null

extern "C" {
    fn __offload_kernel(function: *const ()) -> *const u8;
    #[link_name = "__offload_intrinsic.llvm.amdgcn.s.memtime"]
    fn clock() -> u64;
}

extern "C" fn time(out: *mut u64) {
    unsafe { *out = clock() }
}

fn main() {
    println!("{}", !unsafe { __offload_kernel(time as *const ()) }.is_null());
    if std::env::args().len() > 1 {
        time([0; 1].as_mut_ptr());
    }
}
//// stdout
// true
// true
// ended
