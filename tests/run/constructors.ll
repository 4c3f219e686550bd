; A host program in IR: its own constructor runs, and it prints every kernel that is registered.

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@ran = internal global ptr @not_run
@yes = private constant [22 x i8] c"own constructor: runs\00"
@not_run = private constant [25 x i8] c"own constructor: did not\00"
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @construct, ptr null }]
@kernels = internal constant ptr @first_kernel, section ".offload.kernels"
@llvm.used = appending global [1 x ptr] [ptr @kernels], section "llvm.metadata"

define internal void @construct() {
  store ptr @yes, ptr @ran
  ret void
}

define void @first_kernel(ptr %out) {
  %thread = call i32 @__offload_thread_id_x()
  %slot = getelementptr i32, ptr %out, i32 %thread
  store i32 %thread, ptr %slot
  ret void
}

define internal void @print(ptr %kernel, ptr %context) {
  %name_at = getelementptr i8, ptr %kernel, i64 8
  %name = load ptr, ptr %name_at
  %printed = call i32 @puts(ptr %name)
  ret void
}

define i32 @main() {
  %text = load ptr, ptr @ran
  %printed = call i32 @puts(ptr %text)
  call void @offloadrt_each_kernel(ptr @print, ptr null)
  ret i32 0
}

declare i32 @__offload_thread_id_x()
declare void @offloadrt_each_kernel(ptr, ptr)
declare i32 @puts(ptr)
