; A builtin that is written as text gets its body.
; RUN: offloadc %s --run-pass=link_text --offload-arch=sm_80 | grep -v "^target"
; CHECK: define void @f(
; CHECK: define{{.*}}@__offload_print(ptr
; CHECK: @vprintf(

declare void @__offload_print(ptr, i64)

define void @f(ptr %text) {
  call void @__offload_print(ptr %text, i64 5)
  ret void
}
