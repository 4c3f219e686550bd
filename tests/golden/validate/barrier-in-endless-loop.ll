; Threads in a loop without an end never come to a barrier after it, nor the others to one in it.
; FAIL: offloadc %s --offload-arch=cpu --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare void @__offload_sync_threads()


define ptx_kernel void @in(ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %loop, label %end
loop:
  store volatile i32 1, ptr %out
  call void @__offload_sync_threads()
  br label %loop
end:
  ret void
}

define ptx_kernel void @behind(ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %loop, label %end
loop:
  store volatile i32 1, ptr %out
  br label %loop
end:
  call void @__offload_sync_threads()
  ret void
}
;;; stderr
; error[OFC0012]: kernel `in` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
; error[OFC0012]: kernel `behind` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
