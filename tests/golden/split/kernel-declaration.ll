; A kernel without a body cannot be compiled.
; FAIL: offloadc %s --offload-arch=cpu --emit=split=-

target triple = "x86_64-unknown-linux-gnu"

declare ptx_kernel void @elsewhere(ptr)

define ptx_kernel void @fill(ptr %out) {
  store i32 7, ptr %out
  ret void
}

@marks = internal constant [1 x ptr] [ptr @elsewhere], section ".offload.kernels"
;;; stderr
; error[OFC0008]: kernel `elsewhere` has no body in this input
;   = help: also give offloadc the bitcode of the crate that defines it
