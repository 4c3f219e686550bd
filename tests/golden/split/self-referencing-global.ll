; The walk ends although a global holds its own address.
; RUN: offloadc %s --offload-arch=cpu --emit=split=-

target triple = "x86_64-unknown-linux-gnu"

@ring = internal global { ptr, i32 } { ptr @ring, i32 5 }

define ptx_kernel void @fill(ptr %out) {
  %v = load i32, ptr getelementptr (i8, ptr @ring, i64 8)
  store i32 %v, ptr %out
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; @ring = internal global { ptr, i32 } { ptr @ring, i32 5 }
;
; define void @fill(ptr %out) {
;   %v = load i32, ptr getelementptr (i8, ptr @ring, i64 8), align 4
;   store i32 %v, ptr %out, align 4
;   ret void
; }
