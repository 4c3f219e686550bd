; Intrinsics of SPIR-V that only shaders have, and one overloaded on a type that it does not have.
; FAIL[shader]: offloadc %s --kernel=shader --offload-arch=spirv64 --emit=validate=-
; FAIL[overload]: offloadc %s --kernel=overload --offload-arch=spirv64,sm_80 --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

declare float @__offload_intrinsic.llvm.spv.ddx.f32(float)
declare void @__offload_intrinsic.llvm.spv.discard()
declare float @__offload_intrinsic.llvm.spv.length.f32(float)

define void @shader(ptr %p, float %x) {
  %slope = call float @__offload_intrinsic.llvm.spv.ddx.f32(float %x)
  store float %slope, ptr %p
  call void @__offload_intrinsic.llvm.spv.discard()
  ret void
}

define void @overload(ptr %p, float %x) {
  %length = call float @__offload_intrinsic.llvm.spv.length.f32(float %x)
  store float %length, ptr %p
  ret void
}
;;; stderr[shader]
; error[OFC0028]: kernel `shader` reaches `llvm.spv.ddx.f32`, an intrinsic that the target does not have
;   = note: called through `shader` → `llvm.spv.ddx.f32`
;   = note: for spirv64
;   = help: call it behind a condition on `__offload_arch()` that holds only for archs that have it
; error[OFC0028]: kernel `shader` reaches `llvm.spv.discard`, an intrinsic that the target does not have
;   = note: called through `shader` → `llvm.spv.discard`
;   = note: for spirv64
;   = help: call it behind a condition on `__offload_arch()` that holds only for archs that have it
;;; stderr[overload]
; error[OFC0028]: kernel `overload` reaches `llvm.spv.length.f32`, whose name must end with the type it is overloaded on, as in `.i32`, `.v4f16` or `.p3`
;   = note: called through `overload` → `llvm.spv.length.f32`
;   = note: for spirv64, sm_80
;   = help: docs/intrinsics.md lists the Rust types that correspond to LLVM's types
