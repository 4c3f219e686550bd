; Math by an intrinsic's name becomes the same as Rust's: native where hardware is exact, else the portable library's.
; RUN: for arch in cpu sm_80 gfx90a spirv64; do offloadc %s --offload-arch=$arch -o o; done
; CHECK[named]: call float @llvm.sqrt.f32
; CHECK-NOT[named]: llvm.sin
; CHECK[named]: ret void
; RUN[named]: offloadc %s --offload-arch=cpu --emit=resolve=-

target triple = "x86_64-unknown-linux-gnu"

declare float @"__offload_intrinsic.llvm.sin.f32"(float)
declare float @"__offload_intrinsic.llvm.sqrt.f32"(float)

define ptx_kernel void @k(ptr %p) {
  %x = load float, ptr %p
  %a = call float @"__offload_intrinsic.llvm.sin.f32"(float %x)
  %b = call float @"__offload_intrinsic.llvm.sqrt.f32"(float %a)
  store float %b, ptr %p
  ret void
}
