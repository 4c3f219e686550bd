; Functions that call each other in a circle are reached once each.
; RUN: offloadc %s --offload-arch=cpu --emit=split=-

target triple = "x86_64-unknown-linux-gnu"

define internal i32 @even(i32 %n) {
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %yes, label %no
yes:
  ret i32 1
no:
  %m = sub i32 %n, 1
  %v = call i32 @odd(i32 %m)
  ret i32 %v
}

define internal i32 @odd(i32 %n) {
  %v = call i32 @even(i32 %n)
  ret i32 %v
}

define ptx_kernel void @fill(ptr %out, i32 %n) {
  %v = call i32 @even(i32 %n)
  store i32 %v, ptr %out
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; define internal i32 @even(i32 %n) {
;   %zero = icmp eq i32 %n, 0
;   br i1 %zero, label %yes, label %no
;
; yes:                                              ; preds = %0
;   ret i32 1
;
; no:                                               ; preds = %0
;   %m = sub i32 %n, 1
;   %v = call i32 @odd(i32 %m)
;   ret i32 %v
; }
;
; define internal i32 @odd(i32 %n) {
;   %v = call i32 @even(i32 %n)
;   ret i32 %v
; }
;
; define void @fill(ptr %out, i32 %n) {
;   %v = call i32 @even(i32 %n)
;   store i32 %v, ptr %out, align 4
;   ret void
; }
