; An alias can be a separate kernel beside the function that it stands for.
; RUN[kernels]: offloadc %s --offload-arch=cpu --emit=kernels=-
; RUN[split]: offloadc %s --offload-arch=cpu --emit=split=-

target triple = "x86_64-unknown-linux-gnu"

@right = alias void (ptr), ptr @left
@marks = internal constant [2 x ptr] [ptr @left, ptr @right], section ".offload.kernels"
@llvm.used = appending global [1 x ptr] [ptr @marks], section "llvm.metadata"

define void @left(ptr %out) {
  store i32 7, ptr %out
  ret void
}
;;; stdout[kernels]
; left (left): plain, found by section `.offload.kernels`
;   0: pointer at 0, 8 bytes, aligned to 8
; right (right): plain, found by section `.offload.kernels`
;   0: pointer at 0, 8 bytes, aligned to 8
;;; stdout[split]
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; @right.alias = alias void (ptr), ptr @left.body
;
; define void @left.body(ptr %out) {
;   store i32 7, ptr %out, align 4
;   ret void
; }
;
; define void @left(ptr %0) {
; entry:
;   call void @left.body(ptr %0)
;   ret void
; }
;
; define void @right(ptr %0) {
; entry:
;   call void @left.body(ptr %0)
;   ret void
; }
