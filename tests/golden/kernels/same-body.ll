; Two kernels with the same body stay two.
; RUN: offloadc %s --offload-arch=cpu --emit=kernels=-

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @left(ptr %out) {
  store i32 7, ptr %out
  ret void
}

define ptx_kernel void @right(ptr %out) {
  store i32 7, ptr %out
  ret void
}
;;; stdout
; left (left): plain, found by its calling convention
;   0: pointer at 0, 8 bytes, aligned to 8
; right (right): plain, found by its calling convention
;   0: pointer at 0, 8 bytes, aligned to 8
