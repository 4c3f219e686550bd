; A block marker needs size and alignment that are known at compile time, and that a type can have.
; FAIL[unknown]: offloadc %s --offload-arch=cpu -o %t/o
; FAIL[impossible]: sed 's/k, i64 %bytes/k, i64 12/' %s > x.ll; offloadc x.ll --offload-arch=cpu -o %t/o
; FAIL[huge]: sed 's/k, i64 %bytes/k, i64 80000/' %s > x.ll; offloadc x.ll --offload-arch=cpu -o %t/o

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_kernel_block(ptr, i64, i64)

define internal void @k(ptr %arguments) { ret void }

define ptr @main(i64 %bytes) {
  %h = call ptr @__offload_kernel_block(ptr @k, i64 %bytes, i64 8)
  ret ptr %h
}
;;; stderr[unknown]
; error[OFC0006]: `__offload_kernel_block` in `main` needs a function, a size and an alignment that are known at compile time
;   = help: call `__offload_kernel_block` where the function is named, for example in a function that is generic over it
;;; stderr[impossible]
; error[OFC0013]: kernel `k` is marked with size 12 and alignment 8, which no Rust type has
;   = help: a plain kernel is `extern "C"` and takes integers, floats, raw pointers and `repr(C)` structs by value; anything else goes into one struct behind `__offload_kernel_block`
;;; stderr[huge]
; error[OFC0013]: kernel `k` takes more than 64 KiB of arguments
;   = help: a plain kernel is `extern "C"` and takes integers, floats, raw pointers and `repr(C)` structs by value; anything else goes into one struct behind `__offload_kernel_block`
