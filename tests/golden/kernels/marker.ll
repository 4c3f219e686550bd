; The argument of a marker call is a kernel, also if an internal function passes it on.
; RUN: offloadc %s --offload-arch=cpu --emit=kernels=-

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_kernel(ptr)
declare ptr @__offload_kernel_block(ptr, i64, i64)

define internal void @plain(i32 %n, ptr %out) {
  ret void
}

define internal void @block(ptr %arguments) {
  ret void
}

define internal ptr @handle_of(ptr %function) {
  %handle = call ptr @__offload_kernel(ptr %function)
  ret ptr %handle
}

define i32 @main() {
  %one = call ptr @handle_of(ptr @plain)
  %two = call ptr @__offload_kernel_block(ptr @block, i64 40, i64 8)
  ret i32 0
}
;;; stdout
; plain (plain): plain, found by a marker call
;   0: value at 0, 4 bytes, aligned to 4
;   1: pointer at 8, 8 bytes, aligned to 8
; block (block): block, found by a marker call
;   0: block at 0, 40 bytes, aligned to 8
