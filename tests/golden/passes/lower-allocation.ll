; Rust's allocator takes its memory from the heap of the launch.
; RUN: offloadc %s --run-pass=lower_allocation --kernel=k | grep -v "^target"
; CHECK: define internal ptr @{{.*}}__rust_alloc(
; CHECK: call ptr @__offload_launch_state()
; CHECK: call ptr @__offload_heap_alloc(
; CHECK: define internal ptr @__offload_heap_alloc(

declare ptr @_RNvCs2_7___rustc12___rust_alloc(i64, i64)

define void @k(ptr %out) {
  %memory = call ptr @_RNvCs2_7___rustc12___rust_alloc(i64 8, i64 8)
  store ptr %memory, ptr %out
  ret void
}
