; The entry of an instrumented kernel passes the running block and thread to the checker, and shared statics have a gap
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
;;; stdout
; @offload.check.shared = private constant [6 x i64] [i64 32, i64 2, i64 0, i64 16, i64 80, i64 16]
; declare void @offloadrt_check_write4(ptr, ptr) local_unnamed_addr #0
; declare void @offloadrt_check_barrier(ptr) local_unnamed_addr #0
; declare void @offloadrt_check_exit(ptr) local_unnamed_addr #0
;   tail call void @offloadrt_check_write4(ptr %11, ptr nonnull @offload.check.place)
;   tail call void @offloadrt_check_barrier(ptr nonnull @offload.check.place)
;   tail call void @offloadrt_check_write4(ptr %12, ptr nonnull @offload.check.place)
;   tail call void @offloadrt_check_exit(ptr nonnull @offload.check.place)
;   call void @offloadrt_check_block(ptr %0, ptr @offload.check.shared)
;   call void @offloadrt_check_thread(i64 %27)
;   call void @offloadrt_check_thread(i64 %45)
; declare void @offloadrt_check_block(ptr, ptr) #0
; declare void @offloadrt_check_thread(i64) #0
;   call void @offloadrt_check_start(ptr @offload.check.object)
; declare void @offloadrt_check_start(ptr) #0
;   call void @offloadrt_check_stop(ptr @offload.check.object)
; declare void @offloadrt_check_stop(ptr) #0
