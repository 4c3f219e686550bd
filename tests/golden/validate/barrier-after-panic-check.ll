; A check that ends in a panic does not count as a way past the barrier.
; RUN: offloadc %s --offload-arch=cpu,sm_80,gfx90a --emit=object=%t/out.o

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()
declare void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64, i64, ptr) noreturn

define ptx_kernel void @checked(i64 %count, ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %i = zext i32 %t to i64
  %inside = icmp ult i64 %i, %count
  br i1 %inside, label %good, label %bad
good:
  call void @__offload_sync_threads()
  ret void
bad:
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 %i, i64 %count, ptr null)
  unreachable
}
