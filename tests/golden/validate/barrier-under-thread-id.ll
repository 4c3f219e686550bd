; A barrier that only some threads of a block reach is an error.
; FAIL: offloadc %s --offload-arch=cpu,sm_80 --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define ptx_kernel void @half(ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %low = icmp eq i32 %t, 16
  br i1 %low, label %wait, label %out_of_it
wait:
  call void @__offload_sync_threads()
  br label %out_of_it
out_of_it:
  ret void
}
;;; stderr
; error[OFC0012]: kernel `half` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu, sm_80
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
