; Intrinsics of LLVM on which back ends abort, and that rustc does not write, are refused by name; in host code, LLVM's own
; error names the file.
; FAIL[gpus]: offloadc %s --kernel=strict --kernel=fenced --offload-arch=sm_80,gfx90a,spirv64 --emit=image
; RUN[elsewhere]: offloadc %s --kernel=fenced --offload-arch=sm_80 --emit=image=image
; FAIL[cpu]: offloadc %s --kernel=counted --kernel=canonical --offload-arch=cpu --emit=codegen=code
; FAIL[host]: offloadc %s -o out.o

target triple = "x86_64-unknown-linux-gnu"

@name = private constant [1 x i8] c"f"

declare float @llvm.experimental.constrained.frem.f32(float, float, metadata, metadata)
declare float @llvm.arithmetic.fence.f32(float)
declare void @llvm.instrprof.value.profile(ptr, i64, i64, i32, i32)
declare <2 x float> @llvm.canonicalize.v2f32(<2 x float>)

define void @strict(ptr %p) strictfp {
  %x = load float, ptr %p
  %y = call float @llvm.experimental.constrained.frem.f32(float %x, float 3.0, metadata !"round.upward", metadata !"fpexcept.strict") strictfp
  store float %y, ptr %p
  ret void
}

define void @fenced(ptr %p) {
  %x = load float, ptr %p
  %y = call float @llvm.arithmetic.fence.f32(float %x)
  store float %y, ptr %p
  ret void
}

define void @counted(ptr %p) {
  call void @llvm.instrprof.value.profile(ptr @name, i64 1, i64 2, i32 0, i32 0)
  ret void
}

define void @canonical(ptr %p) {
  %x = load <2 x float>, ptr %p
  %y = call <2 x float> @llvm.canonicalize.v2f32(<2 x float> %x)
  store <2 x float> %y, ptr %p
  ret void
}
;;; stderr[gpus]
; error[OFC0008]: kernel `strict` calls `llvm.experimental.constrained.frem.f32`, which has no device code
;   = note: for sm_80, gfx90a, spirv64
;   = help: write it another way in kernels
; error[OFC0008]: kernel `fenced` calls `llvm.arithmetic.fence.f32`, which has no device code
;   = note: for gfx90a, spirv64
;   = help: write it another way in kernels
;;; stderr[cpu]
; error[OFC0008]: kernel `counted` calls `llvm.instrprof.value.profile`, which has no device code
;   = note: for cpu
;   = help: write it another way in kernels
; error[OFC0008]: kernel `canonical` calls `llvm.canonicalize.v2f32`, which has no device code
;   = note: for cpu
;   = help: write it another way in kernels
;;; stderr[host]
; error: LLVM cannot process the input: LLVM gave up while compiling the host code, compiling `%s`: Cannot select: intrinsic %llvm.instrprof.value.profile
