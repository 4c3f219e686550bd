; A second object for the same program, with other kernels: twins, so that a linker could fold them.

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@kernels = internal constant [2 x ptr] [ptr @left_kernel, ptr @right_kernel], section ".offload.kernels"
@llvm.used = appending global [1 x ptr] [ptr @kernels], section "llvm.metadata"

define void @left_kernel(ptr %out) {
  store i32 7, ptr %out
  ret void
}

define void @right_kernel(ptr %out) {
  store i32 7, ptr %out
  ret void
}
