; Only instruction selection finds that an arch has no code for an intrinsic. The error names both.
; FAIL: offloadc %s --offload-arch=gfx1100 -o out.o

target triple = "x86_64-unknown-linux-gnu"

declare void @__offload_intrinsic.llvm.amdgcn.mfma.f32.32x32x1f32(ptr sret([128 x i8]) align 4, float, float, ptr byval([128 x i8]) align 4, i32, i32, i32)

define ptx_kernel void @k(ptr %out, float %x) {
  call void @__offload_intrinsic.llvm.amdgcn.mfma.f32.32x32x1f32(ptr sret([128 x i8]) align 4 %out, float %x, float %x, ptr byval([128 x i8]) align 4 %out, i32 0, i32 0, i32 0)
  ret void
}
;;; stderr
; error: no code for `llvm.amdgcn.mfma.f32.32x32x1f32` while generating code for gfx1100, kernel `k`
