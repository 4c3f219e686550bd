; The thread's position still differs between threads if it is passed as an argument or in memory.
; FAIL: offloadc %s --offload-arch=cpu --kernel=argument --kernel=memory --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define internal void @wait_if(i32 %value) noinline {
  %low = icmp eq i32 %value, 16
  br i1 %low, label %then, label %end
then:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}

define void @argument(ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  call void @wait_if(i32 %t)
  ret void
}

define void @memory(ptr %out) {
  %slot = alloca i32
  %t = call i32 @__offload_thread_id_x()
  store i32 %t, ptr %slot
  %v = load i32, ptr %slot
  %low = icmp ult i32 %v, 16
  br i1 %low, label %then, label %end
then:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}
;;; stderr
; error[OFC0012]: kernel `argument` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
