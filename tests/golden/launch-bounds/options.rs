// A limit of registers becomes each target's own attribute, and an unrolled loop has copies of its body.
// RUN[nvidia]: rustc --edition 2021 --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes %s -o in.bc; \
//   offloadc in.bc --offload-arch=sm_80 --emit=codegen=- | \
//   grep -oE '^.visible .*[(]|^.maxnreg.*|ld.global[.a-z0-9]*|div[.a-z0-9]*|ex2[.a-z0-9]*'
// RUN[amd]: rustc --edition 2021 --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes %s -o in.bc; \
//   offloadc in.bc --offload-arch=gfx90a --emit=flavor=- | grep -o '"amdgpu-num-vgpr"="[0-9]*"'
// RUN[others]: rustc --edition 2021 --emit=llvm-bc -O %s -o in.bc; \
//   offloadc in.bc --offload-arch=cpu,spirv64 -o out.o; llvm-nm -u out.o | { ! grep __offload_; }

extern "C" {
    fn __offload_max_registers(count: u32);
    fn __offload_unroll(count: u32);
    fn __offload_fast_math();
    fn __offload_kernel(function: *const ()) -> *const u8;
}

#[no_mangle]
extern "C" fn limited(out: *mut f32, x: *const f32, n: u32) {
    unsafe {
        __offload_max_registers(64);
        let mut sum = 0.0;
        for i in 0..n as usize {
            __offload_unroll(2);
            sum += *x.add(i);
        }
        *out = sum;
    }
}

#[no_mangle]
extern "C" fn fast(out: *mut f32, x: *const f32) {
    unsafe {
        __offload_fast_math();
        *out = *x / (*x).exp();
    }
}

fn main() {
    unsafe {
        println!("{:?}", __offload_kernel(limited as *const ()));
        println!("{:?}", __offload_kernel(fast as *const ()));
    }
}
//// stdout[nvidia]
// .visible .entry limited(
// .maxnreg 64
// ld.global.b32
// ld.global.b32
// ld.global.b32
// .visible .entry fast(
// ld.global.b32
// ex2.approx.f32
// div.approx.f32
//// stdout[amd]
// "amdgpu-num-vgpr"="64"
