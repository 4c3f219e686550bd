; On the host, the contract's names are those of one block of one thread, so a kernel runs as a plain function.
; RUN: offloadc %s --kernel=k --offload-arch=cpu --runtime=none -O0 -o o.o && cc o.o -o x && ./x

target triple = "x86_64-unknown-linux-gnu"

@format = private constant [37 x i8] c"%d %d %d %d %d %d %d %d %d %d %d %d\0A\00"
@tile = internal global [4 x i32] zeroinitializer, section ".offload.shared"
declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_dim_z()
declare i32 @__offload_lane_count()
declare void @__offload_sync_threads()
declare i32 @__offload_shuffle_xor(i32, i32)
declare i64 @__offload_ballot(i1 zeroext)
declare i64 @__offload_active_mask()
declare i32 @__offload_shuffle_up_sync(i64, i32, i32)
declare i64 @__offload_ballot_sync(i64, i1 zeroext)
declare void @__offload_sync_warp(i64)
declare i1 @__offload_is_device()
declare ptr @__offload_dynamic_shared()
declare i32 @__offload_dynamic_shared_size()
declare i32 @printf(ptr, ...)

define void @k(ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  store i32 %t, ptr @tile
  call void @__offload_sync_threads()
  store i32 40, ptr %out
  ret void
}

define i32 @main() {
  %out = call ptr @__offload_dynamic_shared()
  call void @k(ptr %out)
  %a = load i32, ptr %out
  %b = load i32, ptr @tile
  %c = call i32 @__offload_block_dim_z()
  %d = call i32 @__offload_lane_count()
  %e = call i32 @__offload_shuffle_xor(i32 7, i32 1)
  %f = call i64 @__offload_ballot(i1 true)
  %g = call i1 @__offload_is_device()
  %h = call i32 @__offload_thread_id_x()
  %i = call i32 @__offload_shuffle_up_sync(i64 -1, i32 7, i32 1)
  %j = call i64 @__offload_ballot_sync(i64 -1, i1 true)
  %k = call i64 @__offload_active_mask()
  call void @__offload_sync_warp(i64 -1)
  %l = call i32 @__offload_dynamic_shared_size()
  %z = call i32 (ptr, ...) @printf(ptr @format, i32 %a, i32 %b, i32 %c, i32 %d, i32 %e, i64 %f, i1 %g, i32 %h, i32 %i, i64 %j, i64 %k, i32 %l)
  ret i32 0
}
;;; stdout
; 40 0 1 1 7 1 0 0 7 1 1 65536
