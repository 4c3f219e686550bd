; A barrier after an early return of some threads is an error, at every level. So it is if threads write something
; before they return, although no launch need take a bound.
; FAIL[simplified]: offloadc %s --offload-arch=cpu --emit=validate=-
; FAIL[plain]: offloadc %s -O0 --offload-arch=cpu --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare void @__offload_sync_threads()


define ptx_kernel void @k(i32 %n, ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %outside = icmp eq i32 %t, %n
  br i1 %outside, label %leave, label %work
leave:
  ret void
work:
  store volatile i32 1, ptr %out
  call void @__offload_sync_threads()
  store volatile i32 2, ptr %out
  ret void
}
define ptx_kernel void @writes(i32 %n, ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %outside = icmp uge i32 %t, %n
  br i1 %outside, label %leave, label %work
leave:
  store volatile i32 3, ptr %out
  ret void
work:
  store volatile i32 1, ptr %out
  call void @__offload_sync_threads()
  store volatile i32 2, ptr %out
  ret void
}
;;; stderr[simplified]
; error[OFC0012]: kernel `k` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
; error[OFC0012]: kernel `writes` has a barrier under control flow that differs between threads
;   = note: threads diverge before it
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
;;; stderr[plain]
; error[OFC0012]: kernel `k` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
; error[OFC0012]: kernel `writes` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
