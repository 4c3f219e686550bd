; A function that two kernels call comes once.
; RUN: offloadc %s --offload-arch=cpu --emit=split=-

target triple = "x86_64-unknown-linux-gnu"

define internal float @scale(float %x) {
  %y = fmul float %x, 2.0
  ret float %y
}

define ptx_kernel void @one(ptr %out) {
  %v = call float @scale(float 1.0)
  store float %v, ptr %out
  ret void
}

define ptx_kernel void @two(ptr %out) {
  %v = call float @scale(float 2.0)
  store float %v, ptr %out
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; define internal float @scale(float %x) {
;   %y = fmul float %x, 2.000000e+00
;   ret float %y
; }
;
; define void @one(ptr %out) {
;   %v = call float @scale(float 1.000000e+00)
;   store float %v, ptr %out, align 4
;   ret void
; }
;
; define void @two(ptr %out) {
;   %v = call float @scale(float 2.000000e+00)
;   store float %v, ptr %out, align 4
;   ret void
; }
