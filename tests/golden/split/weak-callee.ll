; A weak callee comes with the body that this module has.
; RUN: offloadc %s --offload-arch=cpu --emit=split=-

target triple = "x86_64-unknown-linux-gnu"

define weak i32 @replaceable() {
  ret i32 1
}

define ptx_kernel void @fill(ptr %out) {
  %v = call i32 @replaceable()
  store i32 %v, ptr %out
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; define weak i32 @replaceable() {
;   ret i32 1
; }
;
; define void @fill(ptr %out) {
;   %v = call i32 @replaceable()
;   store i32 %v, ptr %out, align 4
;   ret void
; }
