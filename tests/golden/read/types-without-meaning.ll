; LLVM's verifier accepts an intrinsic whose types do not belong together, and its passes crash on it.
; FAIL: offloadc %s --offload-arch=cpu -o /dev/null

target triple = "x86_64-unknown-linux-gnu"

declare <4 x i32> @llvm.fptosi.sat.v4i32.f32(float)

define ptx_kernel void @k(ptr %p, float %x) {
  %r = call <4 x i32> @llvm.fptosi.sat.v4i32.f32(float %x)
  store <4 x i32> %r, ptr %p
  ret void
}
;;; stderr
; error[OFC0023]: `%s` contains an invalid module: `llvm.fptosi.sat.v4i32.f32` has the type `<4 x i32> (float)`, for which it has no meaning
