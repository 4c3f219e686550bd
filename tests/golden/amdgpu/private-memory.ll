; AMD's stack is in address space 5.
; RUN: offloadc %s --offload-arch=gfx90a -O0 --emit=flavor=-
; CHECK: alloca [4 x i32], align 4, addrspace(5)

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @pick(ptr %out, i32 %i) {
  %array = alloca [4 x i32]
  store [4 x i32] [i32 1, i32 2, i32 3, i32 4], ptr %array
  %slot = getelementptr [4 x i32], ptr %array, i32 0, i32 %i
  %v = load i32, ptr %slot
  store i32 %v, ptr %out
  ret void
}
