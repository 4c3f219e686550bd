; LLVM's tokens for convergence are valid in convergent functions only, and no back end here takes them.
; FAIL: offloadc %s -O0 --offload-arch=cpu,sm_80,gfx1100,spirv64 --emit=image

target triple = "x86_64-unknown-linux-gnu"

declare token @llvm.experimental.convergence.entry()
declare void @llvm.donothing()

define ptx_kernel void @k(ptr %p) convergent {
  %t = call token @llvm.experimental.convergence.entry()
  call void @llvm.donothing() [ "convergencectrl"(token %t) ]
  ret void
}
;;; stderr
; error[OFC0008]: kernel `k` calls `llvm.experimental.convergence.entry`, which has no device code
;   = note: for cpu, sm_80, gfx1100, spirv64
;   = help: write it another way in kernels
