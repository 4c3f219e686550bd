; Rust's allocator takes its memory from the heap of the launch.
; RUN: offloadc %s --run-pass=lower_allocation --kernel=k | grep -v "^target"
; CHECK: define internal ptr @{{.*}}__rust_alloc(
; CHECK: call ptr @__offload_launch_state()
; CHECK: call ptr @__offload_heap_alloc(
; Functions of the program with the same name are left alone, in both manglings.
; CHECK: declare ptr @_RNvNtCs2_3app7___rustc12___rust_alloc(i64, i64)
; CHECK: declare ptr @_ZN3app12__rust_alloc17h0123456789abcdefE(i64, i64)
; CHECK: define internal ptr @__offload_heap_alloc(

declare ptr @_RNvCs2_7___rustc12___rust_alloc(i64, i64)

declare ptr @_RNvNtCs2_3app7___rustc12___rust_alloc(i64, i64)
declare ptr @_ZN3app12__rust_alloc17h0123456789abcdefE(i64, i64)

define void @k(ptr %out) {
  %memory = call ptr @_RNvCs2_7___rustc12___rust_alloc(i64 8, i64 8)
  store ptr %memory, ptr %out
  %own = call ptr @_RNvNtCs2_3app7___rustc12___rust_alloc(i64 8, i64 8)
  store ptr %own, ptr %out
  %old = call ptr @_ZN3app12__rust_alloc17h0123456789abcdefE(i64 8, i64 8)
  store ptr %old, ptr %out
  ret void
}
