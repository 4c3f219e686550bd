; A static cannot hold the address of shared memory, because each block has its own.
; FAIL: offloadc %s -o %t/out.o --offload-arch=cpu

target triple = "x86_64-unknown-linux-gnu"

@tile = internal global [4 x i32] undef, section ".offload.shared"
@pointers = internal constant [2 x ptr] [ptr @tile, ptr getelementptr (i8, ptr @tile, i64 8)]

define ptx_kernel void @k(i64 %which) {
  %place = getelementptr [2 x ptr], ptr @pointers, i64 0, i64 %which
  %pointer = load ptr, ptr %place
  store i32 1, ptr %pointer
  ret void
}
;;; stderr
; error[OFC0024]: static `pointers` is initialised with the address of shared static `tile`
;   = note: for cpu
;   = help: each block has its own shared memory; take the address inside the kernel
