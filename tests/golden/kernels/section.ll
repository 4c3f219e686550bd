; Each function that a global in .offload.kernels points to is a kernel, once, in that order.
; RUN: offloadc %s --offload-arch=cpu --emit=kernels=-

target triple = "x86_64-unknown-linux-gnu"

@marks = internal constant [3 x ptr] [ptr @second, ptr @first, ptr @second], section ".offload.kernels"
@llvm.used = appending global [1 x ptr] [ptr @marks], section "llvm.metadata"

define void @first(i32 %n, double %x, ptr %out) {
  ret void
}

define internal void @second(i8 %small, i64 %large) {
  ret void
}
;;; stdout
; second (second): plain, found by section `.offload.kernels`
;   0: value at 0, 1 bytes, aligned to 1
;   1: value at 8, 8 bytes, aligned to 8
; first (first): plain, found by section `.offload.kernels`
;   0: value at 0, 4 bytes, aligned to 4
;   1: value at 8, 8 bytes, aligned to 8
;   2: pointer at 16, 8 bytes, aligned to 8
