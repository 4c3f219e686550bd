; A jump table of block addresses comes with the function it belongs to.
; RUN: offloadc %s --offload-arch=cpu --emit=split=-

target triple = "x86_64-unknown-linux-gnu"

@labels = internal constant [2 x ptr] [ptr blockaddress(@jump, %zero), ptr blockaddress(@jump, %one)]

define internal i32 @jump(i64 %i) {
  %slot = getelementptr ptr, ptr @labels, i64 %i
  %target = load ptr, ptr %slot
  indirectbr ptr %target, [label %zero, label %one]
zero:
  ret i32 0
one:
  ret i32 1
}

define ptx_kernel void @fill(ptr %out, i64 %i) {
  %v = call i32 @jump(i64 %i)
  store i32 %v, ptr %out
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; @labels = internal constant [2 x ptr] [ptr blockaddress(@jump, %zero), ptr blockaddress(@jump, %one)]
;
; define internal i32 @jump(i64 %i) {
;   %slot = getelementptr ptr, ptr @labels, i64 %i
;   %target = load ptr, ptr %slot, align 8
;   indirectbr ptr %target, [label %zero, label %one]
;
; zero:                                             ; preds = %0
;   ret i32 0
;
; one:                                              ; preds = %0
;   ret i32 1
; }
;
; define void @fill(ptr %out, i64 %i) {
;   %v = call i32 @jump(i64 %i)
;   store i32 %v, ptr %out, align 4
;   ret void
; }
