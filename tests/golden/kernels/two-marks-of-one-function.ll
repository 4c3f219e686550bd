; A function with several marks is one kernel; a block marker contains more than the other marks, in any order.
; RUN: offloadc %s --offload-arch=cpu --kernel=both --kernel=plain --emit=kernels=-

target triple = "x86_64-unknown-linux-gnu"

@marks = constant [2 x ptr] [ptr @both, ptr @plain], section ".offload.kernels"
declare ptr @__offload_kernel(ptr)
declare ptr @__offload_kernel_block(ptr, i64, i64)

define void @plain(i32 %n) { ret void }
define void @both(ptr %arguments) { ret void }

define void @main() {
  %h1 = call ptr @__offload_kernel(ptr @plain)
  %h2 = call ptr @__offload_kernel(ptr @plain)
  %h3 = call ptr @__offload_kernel_block(ptr @both, i64 16, i64 8)
  ret void
}
;;; stdout
; both (both): block, found by a marker call
;   0: block at 0, 16 bytes, aligned to 8
; plain (plain): plain, found by section `.offload.kernels`
;   0: value at 0, 4 bytes, aligned to 4
