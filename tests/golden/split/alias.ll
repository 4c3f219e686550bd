; A kernel that calls through an alias brings the aliasee.
; RUN: offloadc %s --offload-arch=cpu --emit=split=-

target triple = "x86_64-unknown-linux-gnu"

@other = internal alias i32 (i32), ptr @twice

define internal i32 @twice(i32 %x) {
  %y = shl i32 %x, 1
  ret i32 %y
}

define ptx_kernel void @fill(ptr %out) {
  %v = call i32 @other(i32 21)
  store i32 %v, ptr %out
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; @other = internal alias i32 (i32), ptr @twice
;
; define internal i32 @twice(i32 %x) {
;   %y = shl i32 %x, 1
;   ret i32 %y
; }
;
; define void @fill(ptr %out) {
;   %v = call i32 @other(i32 21)
;   store i32 %v, ptr %out, align 4
;   ret void
; }
