; A chain through two tables of functions is followed to its end.
; RUN: offloadc %s --offload-arch=cpu --emit=split=-

target triple = "x86_64-unknown-linux-gnu"

@first = internal constant [1 x ptr] [ptr @step]
@second = internal constant { i64, ptr } { i64 1, ptr @last }

define internal i32 @step() {
  %f = load ptr, ptr getelementptr (i8, ptr @second, i64 8)
  %v = call i32 %f()
  ret i32 %v
}

define internal i32 @last() {
  ret i32 9
}

define internal i32 @unreached() {
  ret i32 8
}

define ptx_kernel void @fill(ptr %out) {
  %f = load ptr, ptr @first
  %v = call i32 %f()
  store i32 %v, ptr %out
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; @first = internal constant [1 x ptr] [ptr @step]
; @second = internal constant { i64, ptr } { i64 1, ptr @last }
;
; define internal i32 @step() {
;   %f = load ptr, ptr getelementptr (i8, ptr @second, i64 8), align 8
;   %v = call i32 %f()
;   ret i32 %v
; }
;
; define internal i32 @last() {
;   ret i32 9
; }
;
; define void @fill(ptr %out) {
;   %f = load ptr, ptr @first, align 8
;   %v = call i32 %f()
;   store i32 %v, ptr %out, align 4
;   ret void
; }
