; Printing gets its body in legal code, after all other functions.
; RUN: offloadc %s --run-pass=define_print --offload-arch=spirv64 | grep -v "^target"
; CHECK: define void @f(
; CHECK: define{{.*}}@__offload_print_text(
; CHECK: @_Z18__spirv_ocl_printf

declare void @__offload_print_text(ptr addrspace(4), i64)

define void @f(ptr addrspace(4) %text) {
  call void @__offload_print_text(ptr addrspace(4) %text, i64 5)
  ret void
}
