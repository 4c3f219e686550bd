; A math function that is declared as an intrinsic by name becomes the intrinsic; other intrinsics by name stay, like
; one with another type and one that LLVM does not have.
; RUN: offloadc %s --run-pass=name_math_by_symbol | grep -v "^target"

declare float @"__offload_intrinsic.llvm.sin.f32"(float)
declare i32 @"__offload_intrinsic.llvm.ctpop.i32"(i32)

define float @f(float %x, i32 %n) {
  %r = call float @"__offload_intrinsic.llvm.sin.f32"(float %x)
  %c = call i32 @"__offload_intrinsic.llvm.ctpop.i32"(i32 %n)
  ret float %r
}

declare double @"__offload_intrinsic.llvm.cos.f32"(double)
declare float @"__offload_intrinsic.llvm.exp.none"(float)

define double @others(double %x, float %y) {
  %mistyped = call double @"__offload_intrinsic.llvm.cos.f32"(double %x)
  %unknown = call float @"__offload_intrinsic.llvm.exp.none"(float %y)
  ret double %mistyped
}
;;; stdout
;
; declare i32 @__offload_intrinsic.llvm.ctpop.i32(i32)
;
; define float @f(float %x, i32 %n) {
;   %1 = call float @llvm.sin.f32(float %x)
;   %c = call i32 @__offload_intrinsic.llvm.ctpop.i32(i32 %n)
;   ret float %1
; }
;
; declare double @__offload_intrinsic.llvm.cos.f32(double)
;
; declare float @__offload_intrinsic.llvm.exp.none(float)
;
; define double @others(double %x, float %y) {
;   %mistyped = call double @__offload_intrinsic.llvm.cos.f32(double %x)
;   %unknown = call float @__offload_intrinsic.llvm.exp.none(float %y)
;   ret double %mistyped
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare float @llvm.sin.f32(float) #0
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
