; A function whose address a kernel stores is reached, called or not.
; RUN: offloadc %s --offload-arch=cpu --emit=split=-

target triple = "x86_64-unknown-linux-gnu"

define internal i32 @chosen(i32 %x) {
  ret i32 %x
}

define ptx_kernel void @choose(ptr %out) {
  store ptr @chosen, ptr %out
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; define internal i32 @chosen(i32 %x) {
;   ret i32 %x
; }
;
; define void @choose(ptr %out) {
;   store ptr @chosen, ptr %out, align 8
;   ret void
; }
