// An intrinsic that LLVM does not have, or has with another type, is refused at the call, on every target.
// FAIL: rustc --edition 2021 --crate-type lib --emit=llvm-bc -O -g %s -o in.bc; \
//   offloadc in.bc --kernel=k --offload-arch=cpu,sm_80,gfx90a -o out.o

#[repr(C)]
pub struct Two([u32; 2]);

extern "C" {
    #[link_name = "__offload_intrinsic.llvm.nvvm.read.ptx.sreg.clock65"]
    fn unknown() -> u64;
    #[link_name = "__offload_intrinsic.llvm.nvvm.read.ptx.sreg.clock64"]
    fn narrow() -> u32;
    #[link_name = "__offload_intrinsic.llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16"]
    fn no_type(from: *const u8) -> Two;
    #[link_name = "__offload_intrinsic.llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.i32"]
    fn wrong_type(from: *const u8) -> Two;
    #[link_name = "__offload_intrinsic.llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p0"]
    fn short(from: *const u8) -> Two;
    #[link_name = "__offload_intrinsic.llvm.nvvm.cp.async.wait.group"]
    fn wait_group(count: u32);
}

#[no_mangle]
pub extern "C" fn k(n: u32, out: *mut u64, p: *const u8) {
    unsafe {
        *out = unknown();
        *out.add(1) = narrow() as u64;
        *out.add(2) = no_type(p).0[0] as u64;
        *out.add(3) = wrong_type(p).0[0] as u64;
        *out.add(4) = short(p).0[0] as u64;
        wait_group(n);
    }
}
//// stderr
// error[OFC0028]: kernel `k` reaches `llvm.nvvm.read.ptx.sreg.clock65`, which is not an intrinsic of LLVM
//   --> %s:26:16
//   = note: called through `k` → `llvm.nvvm.read.ptx.sreg.clock65` (%s:26:16)
//   = note: for cpu, sm_80, gfx90a
//   = help: docs/intrinsics.md lists the Rust types that correspond to LLVM's types
// error[OFC0028]: kernel `k` reaches `llvm.nvvm.read.ptx.sreg.clock64`, which is declared as `i32 ()`, but LLVM's type is `i64 ()`
//   --> %s:27:23
//   = note: called through `k` → `llvm.nvvm.read.ptx.sreg.clock64` (%s:27:23)
//   = note: for cpu, sm_80, gfx90a
//   = help: docs/intrinsics.md lists the Rust types that correspond to LLVM's types
// error[OFC0028]: kernel `k` reaches `llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16`, whose name must end with the type it is overloaded on, as in `.i32`, `.v4f16` or `.p3`
//   --> %s:28:23
//   = note: called through `k` → `llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16` (%s:28:23)
//   = note: for cpu, sm_80, gfx90a
//   = help: docs/intrinsics.md lists the Rust types that correspond to LLVM's types
// error[OFC0028]: kernel `k` reaches `llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.i32`, whose name must end with the type it is overloaded on, as in `.i32`, `.v4f16` or `.p3`
//   --> %s:29:23
//   = note: called through `k` → `llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.i32` (%s:29:23)
//   = note: for cpu, sm_80, gfx90a
//   = help: docs/intrinsics.md lists the Rust types that correspond to LLVM's types
// error[OFC0028]: kernel `k` reaches `llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p0`, which is declared as `i64 (ptr)`, but LLVM's type is `{ i32, i32, i32, i32 } (ptr)`
//   --> %s:30:23
//   = note: called through `k` → `llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p0` (%s:30:23)
//   = note: for cpu, sm_80, gfx90a
//   = help: docs/intrinsics.md lists the Rust types that correspond to LLVM's types
// error[OFC0028]: kernel `k` calls `llvm.nvvm.cp.async.wait.group` with a variable as operand 0, which must be a constant
//   --> %s:31:9
//   = note: for cpu, sm_80, gfx90a
//   = help: write the constant at the call, or take it from a `const` parameter
// error[OFC0028]: kernel `k` reaches `llvm.nvvm.cp.async.wait.group`, an intrinsic that the target does not have
//   --> %s:31:9
//   = note: called through `k` → `llvm.nvvm.cp.async.wait.group` (%s:31:9)
//   = note: for cpu, gfx90a
//   = help: call it behind a condition on `__offload_arch()` that holds only for archs that have it
