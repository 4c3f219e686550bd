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
; left (left), Plain, found by CallingConvention
;   0: Pointer at 0, 8 bytes, aligned to 8
; right (right), Plain, found by CallingConvention
;   0: Pointer at 0, 8 bytes, aligned to 8
