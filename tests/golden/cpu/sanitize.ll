; The entry of an instrumented kernel tells the checker which block and which thread runs, and shared statics have a gap
; between them.
; RUN: offloadc %s --sanitize --offload-arch=cpu --kernel=k --emit=flavor=- | grep "offloadrt_check\|check.shared"

@a = internal global [4 x i32] poison, section ".offload.shared"
@b = internal global [4 x i32] poison, section ".offload.shared"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define void @k(ptr %p) {
  %i = call i32 @__offload_thread_id_x()
  %at = getelementptr [4 x i32], ptr @a, i64 0, i32 %i
  store i32 %i, ptr %at
  call void @__offload_sync_threads()
  %there = getelementptr [4 x i32], ptr @b, i64 0, i32 %i
  store i32 %i, ptr %there
  ret void
}
