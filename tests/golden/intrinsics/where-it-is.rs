// `__offload_arch()` is a constant on each device and the host: code for other archs is gone before it is checked.
// RUN: rustc --edition 2021 --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes %s -o in.bc; \
//   offloadc in.bc --offload-arch=cpu,sm_80,sm_90a,gfx90a,gfx10-3-generic --emit=optimize; \
//   grep -ho 'store i64 [0-9]\+\|call i64 @llvm.nvvm.read.ptx.sreg.clock64\|call i64 @llvm.amdgcn.s.memtime' \
//     in.optimize.sm_80.ll in.optimize.sm_90a.ll in.optimize.gfx90a.ll in.optimize.gfx10-3-generic.ll
// RUN[cpu]: rustc --edition 2021 --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --offload-arch=cpu --runtime=none --emit=host=host.o;  \
//   llvm-nm --undefined-only host.o | { ! grep __offload_; }
// FAIL[elsewhere]: rustc --edition 2021 --emit=llvm-bc -O -g --cfg always %s -o in.bc; \
//   offloadc in.bc --offload-arch=cpu,sm_80,gfx90a --emit=validate=-

extern "C" {
    fn __offload_arch() -> u32;
    fn __offload_kernel(function: *const ()) -> *const u8;
    #[link_name = "__offload_intrinsic.llvm.nvvm.read.ptx.sreg.clock64"]
    fn nvidia_clock() -> u64;
    #[link_name = "__offload_intrinsic.llvm.amdgcn.s.memtime"]
    fn amd_clock() -> u64;
}

fn clock() -> u64 {
    match unsafe { __offload_arch() } >> 24 {
        2 => unsafe { nvidia_clock() },
        3 => unsafe { amd_clock() },
        0 | 1 => std::time::Instant::now().elapsed().as_nanos() as u64,
        _ => 0,
    }
}

extern "C" fn time(out: *mut u64) {
    unsafe {
        *out = __offload_arch() as u64;
        let seen = if cfg!(always) { nvidia_clock() } else { 0 };
        *out.add(1) = if cfg!(always) || __offload_arch() >> 24 == 1 { seen } else { clock() };
    }
}

fn main() {
    let _handle = unsafe { __offload_kernel(time as *const ()) };
    time([0u64; 2].as_mut_ptr());
}
//// stdout
// store i64 33554512
// call i64 @llvm.nvvm.read.ptx.sreg.clock64
// store i64 39911514
// call i64 @llvm.nvvm.read.ptx.sreg.clock64
// store i64 50333962
// call i64 @llvm.amdgcn.s.memtime
// store i64 50401328
// call i64 @llvm.amdgcn.s.memtime
//// stderr[elsewhere]
// error[OFC0028]: kernel `where_it_is::time` reaches `llvm.nvvm.read.ptx.sreg.clock64`, an intrinsic that the target does not have
//   --> %s:33:38
//   = note: called through `where_it_is::time` → `llvm.nvvm.read.ptx.sreg.clock64` (%s:33:38)
//   = note: for cpu, gfx90a
//   = help: call it behind a condition on `__offload_arch()` that holds only for archs that have it
