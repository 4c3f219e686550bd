; A block kernel whose argument struct is empty, such as a closure without captures, is a kernel.
; RUN: offloadc %s --offload-arch=cpu,sm_80,gfx90a,spirv64 --emit=kernels=- --emit=object=/dev/null

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_kernel_block(ptr, i64, i64)

define internal void @k(ptr %arguments) { ret void }

define ptr @main() {
  %h = call ptr @__offload_kernel_block(ptr @k, i64 0, i64 1)
  ret ptr %h
}
;;; stdout
; k (k): block, found by a marker call
;   0: block at 0, 0 bytes, aligned to 1
