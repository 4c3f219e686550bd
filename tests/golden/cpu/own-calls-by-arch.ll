; The check of the callee of a call through a pointer stays in a kernel that asks for its arch, although code for other
; archs is dropped before the target emits the check.
; RUN: offloadc %s --offload-arch=cpu -O0 --emit=flavor=-
; CHECK: define internal void @kernel.thread
; CHECK: call void @offload_check_callee(ptr %function
; CHECK: define internal void @offload_host_call

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_arch()
declare void @__offload_kernel(ptr)

define void @kernel(ptr %function, ptr %out) {
  %arch = call i32 @__offload_arch()
  %result = call i32 %function(i32 %arch)
  store i32 %result, ptr %out
  ret void
}

define void @main() {
  call void @__offload_kernel(ptr @kernel)
  ret void
}
