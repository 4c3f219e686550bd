; Values that threads carry out of a loop that they leave at different times differ between them.
; FAIL: offloadc %s --offload-arch=cpu --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare void @__offload_sync_threads()


define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @__offload_thread_id_x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  store volatile i32 %i, ptr %out
  %more = icmp ult i32 %i, %t
  br i1 %more, label %loop, label %after
after:
  %low = icmp eq i32 %next, 4
  br i1 %low, label %then, label %end
then:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}
;;; stderr
; error[OFC0012]: kernel `k` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
