; Globals and functions without a name are kept separate.
; RUN: offloadc %s --offload-arch=cpu --emit=split=-

target triple = "x86_64-unknown-linux-gnu"

@0 = private constant i32 4
@1 = private constant i32 5

define internal i32 @2() {
  %v = load i32, ptr @1
  ret i32 %v
}

define ptx_kernel void @fill(ptr %out) {
  %v = call i32 @2()
  %w = load i32, ptr @0
  %sum = add i32 %v, %w
  store i32 %sum, ptr %out
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; @0 = private constant i32 4
; @1 = private constant i32 5
;
; define internal i32 @2() {
;   %v = load i32, ptr @1, align 4
;   ret i32 %v
; }
;
; define void @fill(ptr %out) {
;   %v = call i32 @2()
;   %w = load i32, ptr @0, align 4
;   %sum = add i32 %v, %w
;   store i32 %sum, ptr %out, align 4
;   ret void
; }
