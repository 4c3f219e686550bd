; LLVM marks a parameter with the bytes that a kernel initializes before it reads them. This is wrong for its regions,
; of which one writes and the others do not: without inlining, the stores of earlier regions would seem unused.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu
; CHECK: define internal i32 @done.thread.1(
; CHECK-NOT: initializes
; CHECK: define hidden void @__offload_cpu.

target triple = "x86_64-unknown-linux-gnu"

declare void @__offload_sync_threads()

define ptx_kernel void @done(ptr %state) {
  store i32 1, ptr %state
  call void @__offload_sync_threads()
  call void @__offload_sync_threads()
  ret void
}
