; A global named only by another global's value is reached through it.
; RUN: offloadc %s --offload-arch=cpu --emit=split=-

target triple = "x86_64-unknown-linux-gnu"

@text = private constant [3 x i8] c"abc"
@slice = internal constant { ptr, i64 } { ptr @text, i64 3 }
@unused = internal constant { ptr, i64 } { ptr @text, i64 2 }

define ptx_kernel void @fill(ptr %out) {
  %p = load ptr, ptr @slice
  %v = load i8, ptr %p
  store i8 %v, ptr %out
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; @text = private constant [3 x i8] c"abc"
; @slice = internal constant { ptr, i64 } { ptr @text, i64 3 }
;
; define void @fill(ptr %out) {
;   %p = load ptr, ptr @slice, align 8
;   %v = load i8, ptr %p, align 1
;   store i8 %v, ptr %out, align 1
;   ret void
; }
