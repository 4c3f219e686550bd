; An input whose locals are in memory was not optimised by LLVM, so the flags that leave its optimiser out are set: the
; help does not name them. The same kernel with its local in a register may be an optimiser's work.
; FAIL[plain]: offloadc %s --offload-arch=cpu --emit=validate=- --kernel=plain
; FAIL[optimised]: offloadc %s --offload-arch=cpu --emit=validate=- --kernel=optimised

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define void @plain(ptr %out) {
  %local = alloca i32
  %t = call i32 @__offload_thread_id_x()
  store i32 %t, ptr %local
  %v = load i32, ptr %local
  %c = icmp ult i32 %v, 4
  br i1 %c, label %two, label %one
two:
  call void @__offload_sync_threads()
  store volatile i32 1, ptr %out
  call void @__offload_sync_threads()
  ret void
one:
  call void @__offload_sync_threads()
  store volatile i32 2, ptr %out
  ret void
}

define void @optimised(ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %c = icmp ult i32 %t, 4
  br i1 %c, label %two, label %one
two:
  call void @__offload_sync_threads()
  store volatile i32 1, ptr %out
  call void @__offload_sync_threads()
  ret void
one:
  call void @__offload_sync_threads()
  store volatile i32 2, ptr %out
  ret void
}
;;; stderr[plain]
; error[OFC0012]: kernel `plain` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: LLVM's optimiser has not changed this input, but rustc's own may have: it copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
;;; stderr[optimised]
; error[OFC0012]: kernel `optimised` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
