; A minimum or maximum that may return -0 for +0 does not on devices, because all of them must return the same bits.
; RUN: offloadc %s --offload-arch=cpu --emit=legalize=-

target triple = "x86_64-unknown-linux-gnu"

declare float @llvm.maximumnum.f32(float, float)
declare double @llvm.minnum.f64(double, double)

define ptx_kernel void @kernel(ptr %out, float %x, double %y) {
  %largest = call nsz float @llvm.maximumnum.f32(float %x, float 0.0)
  store float %largest, ptr %out
  %least = call nnan nsz double @llvm.minnum.f64(double %y, double 0.0)
  store double %least, ptr %out
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare float @llvm.maximumnum.f32(float, float) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare double @llvm.minnum.f64(double, double) #0
;
; define void @kernel(ptr %out, float %x, double %y) {
;   %largest = call float @llvm.maximumnum.f32(float %x, float 0.000000e+00)
;   store float %largest, ptr %out, align 4
;   %least = call nnan double @llvm.minnum.f64(double %y, double 0.000000e+00)
;   store double %least, ptr %out, align 8
;   ret void
; }
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
