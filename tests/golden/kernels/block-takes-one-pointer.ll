; A block kernel takes one pointer to its arguments, and nothing else.
; FAIL: offloadc %s --offload-arch=cpu -o %t/o

target triple = "x86_64-unknown-linux-gnu"

declare void @__offload_kernel_block(ptr, i64, i64)

define internal void @two(ptr %a, ptr %b) { ret void }
define internal void @number(i64 %a) { ret void }
define internal void @copy(ptr byval([16 x i8]) %a) { ret void }

define void @main() {
  call void @__offload_kernel_block(ptr @two, i64 16, i64 8)
  call void @__offload_kernel_block(ptr @number, i64 16, i64 8)
  call void @__offload_kernel_block(ptr @copy, i64 16, i64 8)
  ret void
}
;;; stderr
; error[OFC0013]: kernel `two` is a block kernel and must take exactly one pointer, to its arguments
;   = help: a plain kernel is `extern "C"` and takes integers, floats, raw pointers and `repr(C)` structs by value; anything else goes into one struct behind `__offload_kernel_block`
; error[OFC0013]: kernel `number` is a block kernel and must take exactly one pointer, to its arguments
;   = help: a plain kernel is `extern "C"` and takes integers, floats, raw pointers and `repr(C)` structs by value; anything else goes into one struct behind `__offload_kernel_block`
; error[OFC0013]: kernel `copy` is a block kernel and must take exactly one pointer, to its arguments
;   = help: a plain kernel is `extern "C"` and takes integers, floats, raw pointers and `repr(C)` structs by value; anything else goes into one struct behind `__offload_kernel_block`
