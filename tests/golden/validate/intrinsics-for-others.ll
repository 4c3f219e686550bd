; Intrinsics of other languages, of instrumentation and of LLVM's own passes are no code for a kernel on any target. Most
; would end a back end.
; FAIL: offloadc %s --offload-arch=cpu,sm_80,gfx1100,spirv64 --emit=image

target triple = "x86_64-unknown-linux-gnu"

declare ptr @llvm.objc.retain(ptr)
declare i32 @llvm.start.loop.iterations.i32(i32)
declare i32 @llvm.experimental.get.vector.length.i32(i32, i32, i1)
declare i1 @llvm.allow.ubsan.check(i8)

define ptx_kernel void @k(ptr %p, i32 %n) {
  %kept = call ptr @llvm.objc.retain(ptr %p)
  %count = call i32 @llvm.start.loop.iterations.i32(i32 %n)
  %length = call i32 @llvm.experimental.get.vector.length.i32(i32 %count, i32 4, i1 true)
  %allowed = call i1 @llvm.allow.ubsan.check(i8 1)
  store volatile i32 %length, ptr %kept
  store volatile i1 %allowed, ptr %p
  ret void
}
;;; stderr
; error[OFC0008]: kernel `k` calls `llvm.objc.retain`, which has no device code
;   = note: for cpu, sm_80, gfx1100, spirv64
;   = help: write it another way in kernels
; error[OFC0008]: kernel `k` calls `llvm.start.loop.iterations.i32`, which has no device code
;   = note: for cpu, sm_80, gfx1100, spirv64
;   = help: write it another way in kernels
; error[OFC0008]: kernel `k` calls `llvm.experimental.get.vector.length.i32`, which has no device code
;   = note: for cpu, sm_80, gfx1100, spirv64
;   = help: write it another way in kernels
; error[OFC0008]: kernel `k` calls `llvm.allow.ubsan.check`, which has no device code
;   = note: for cpu, sm_80, gfx1100, spirv64
;   = help: write it another way in kernels
