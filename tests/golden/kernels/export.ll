; A struct of a pointer and a name in .offload.exports is a kernel with this name, which no other kernel gets.
; RUN: offloadc %s --offload-arch=cpu --emit=kernels=-

target triple = "x86_64-unknown-linux-gnu"

@first = constant <{ ptr, [5 x i8], [3 x i8] }> <{ ptr @_ZN4some6kernel, [5 x i8] c"k_f32", [3 x i8] undef }>, section ".offload.exports"
@marks = constant [1 x ptr] [ptr @k_f32], section ".offload.kernels"

define void @k_f32(ptr %out) {
  ret void
}

define internal void @_ZN4some6kernel(i64 %n, float %a) {
  ret void
}
;;; stdout
; k_f32 (_ZN4some6kernel): plain, found by its export
;   0: value at 0, 8 bytes, aligned to 8
;   1: value at 8, 4 bytes, aligned to 4
; k_f32_2 (k_f32): plain, found by section `.offload.kernels`
;   0: pointer at 0, 8 bytes, aligned to 8
