; A bound of the thread's position before a return is no error: the threads compare their answers, and one that differs
; panics. A promised size of the block that decides the bound leaves no check.
; RUN[simplified]: offloadc %s --kernel=k --offload-arch=cpu,gfx90a --emit=validate=- | grep -c "call void @__offload_sync_threads"
; RUN[plain]: offloadc %s --kernel=k -O0 --offload-arch=cpu --emit=validate=- | grep -c "call void @__offload_sync_threads"
; RUN[promised]: offloadc %s --kernel=promised --offload-arch=cpu --emit=validate=- | grep -c "call void @__offload_sync_threads"
; RUN[unchecked]: offloadc %s --kernel=k --device-panic=unreachable --offload-arch=cpu --emit=validate=- | grep -c "call void @__offload_sync_threads"

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare i32 @__offload_block_dim_x()
declare void @__offload_sync_threads()
declare void @__offload_block_size(i32, i32, i32)

define ptx_kernel void @k(i64 %n, i64 %m, ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %b = call i32 @__offload_block_id_x()
  %d = call i32 @__offload_block_dim_x()
  %first = mul i32 %b, %d
  %i = add i32 %first, %t
  %wide = zext i32 %i to i64
  %outside = icmp uge i64 %wide, %n
  br i1 %outside, label %leave, label %more
more:
  %again = icmp ugt i64 %wide, %m
  br i1 %again, label %leave, label %work
leave:
  ret void
work:
  store volatile i32 1, ptr %out
  call void @__offload_sync_threads()
  store volatile i32 2, ptr %out
  ret void
}

define ptx_kernel void @promised(ptr %out) {
  call void @__offload_block_size(i32 100, i32 1, i32 1)
  %t = call i32 @__offload_thread_id_x()
  %wide = zext i32 %t to i64
  %outside = icmp uge i64 %wide, 100
  br i1 %outside, label %leave, label %work
leave:
  ret void
work:
  store volatile i32 1, ptr %out
  call void @__offload_sync_threads()
  store volatile i32 2, ptr %out
  ret void
}
;;; stdout[simplified]
; 3
;;; stdout[plain]
; 3
;;; stdout[promised]
; 3
;;; stdout[unchecked]
; 3
