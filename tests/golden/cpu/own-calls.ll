; A kernel runs in the host's process, where a call could follow a pointer to the host's code: every call through a
; pointer checks whether the callee is the object's device code, which is in one section between two symbols, or a
; function of the C library whose address the kernel itself takes.
;
; RUN: offloadc %s --offload-arch=cpu -O0 --emit=flavor=-
; CHECK: define internal void @kernel.thread
; CHECK: call void @offload_check_callee(ptr %function
; CHECK: call i32 %function
; CHECK: define internal void @offload_host_call
; CHECK: define internal void @offload_check_callee
; CHECK: ptrtoint (ptr @offload_code_begin to i64)
; CHECK: icmp uge i64
; CHECK: icmp ne ptr {{.*}}, @memcpy
; CHECK: call void @offload_host_call
; RUN[code]: offloadc %s --offload-arch=cpu --emit=codegen=-
; CHECK[code]: .section .text.offload
; CHECK[code]: offload_code_end:
; Other targets' code is unchanged.
; RUN[other]: offloadc %s --offload-arch=cpu,sm_80 --emit=flavor && cat *sm_80*
; CHECK[other]: define
; CHECK-NOT[other]: offload_host_call

target triple = "x86_64-unknown-linux-gnu"

declare ptr @memcpy(ptr, ptr, i64)
declare void @__offload_kernel(ptr)

define void @kernel(ptr %function, ptr %out) {
  %stored = alloca ptr
  store volatile ptr @memcpy, ptr %stored
  %result = call i32 %function(i32 7)
  store i32 %result, ptr %out
  ret void
}

define void @main() {
  call void @__offload_kernel(ptr @kernel)
  ret void
}
