; A branch that ends in a panic has a separate barrier before the panic, as where rustc has unswitched a loop on the
; condition. It becomes one with the barrier of the other threads.
; RUN: offloadc %s --kernel=k --emit=validate=- --offload-arch=gfx90a | sed -n "/@k(/,/^}/p"
; In `refused`, the thread that panics passes two barriers and the others pass one, so no two barriers can be one.
; FAIL[refused]: offloadc %s --kernel=refused --emit=validate=- --offload-arch=gfx90a

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define void @k(ptr %out) {
entry:
  %id = call i32 @__offload_thread_id_x()
  %fault = icmp eq i32 %id, 5
  br i1 %fault, label %bad, label %good
bad:
  store i32 1, ptr %out
  call void @__offload_sync_threads()
  call void @llvm.trap()
  unreachable
good:
  store i32 2, ptr %out
  call void @__offload_sync_threads()
  store i32 3, ptr %out
  ret void
}

define void @refused(ptr %out) {
entry:
  %id = call i32 @__offload_thread_id_x()
  %fault = icmp eq i32 %id, 5
  br i1 %fault, label %bad, label %good
bad:
  call void @__offload_sync_threads()
  call void @__offload_sync_threads()
  call void @llvm.trap()
  unreachable
good:
  call void @__offload_sync_threads()
  ret void
}
declare void @llvm.trap()
;;; stdout
; define void @k(ptr writeonly captures(none) initializes((0, 4)) %out) local_unnamed_addr #2 {
; entry:
;   %id = tail call i32 @__offload_thread_id_x()
;   %fault = icmp eq i32 %id, 5
;   br i1 %fault, label %bad, label %good
;
; bad:                                              ; preds = %entry
;   store i32 1, ptr %out, align 4
;   br label %barrier3
;
; behind:                                           ; preds = %barrier3
;   %0 = call ptr @__offload_launch_state()
;   call void @offload_record(ptr %0, i32 1, i32 0, i64 0, i64 0, i64 0)
;   call void @__offload_leave()
;   unreachable
;
; good:                                             ; preds = %entry
;   store i32 2, ptr %out, align 4
;   br label %barrier3
;
; behind2:                                          ; preds = %barrier3
;   store i32 3, ptr %out, align 4
;   ret void
;
; barrier3:                                         ; preds = %good, %bad
;   %way.0 = phi i1 [ false, %bad ], [ true, %good ]
;   tail call void @__offload_sync_threads() #6
;   call void asm sideeffect "", ""() #7
;   br i1 %way.0, label %behind2, label %behind
; }
;;; stderr[refused]
; error[OFC0012]: kernel `refused` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for gfx90a
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
