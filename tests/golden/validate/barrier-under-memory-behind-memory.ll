; A variable whose address was stored in memory, or passed to a function, may be written through it.
; FAIL[simplified]: offloadc %s --offload-arch=cpu --emit=validate=-
; FAIL[plain]: offloadc %s -O0 --offload-arch=cpu --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare void @__offload_sync_threads()


define internal void @fill(ptr %to) noinline {
  %t = call i32 @__offload_thread_id_x()
  store volatile i32 %t, ptr %to
  ret void
}

define ptx_kernel void @kept() {
  %a = alloca i32
  %holder = alloca ptr
  store volatile ptr %a, ptr %holder
  %t = call i32 @__offload_thread_id_x()
  %p = load volatile ptr, ptr %holder
  store volatile i32 %t, ptr %p
  %v = load volatile i32, ptr %a
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @passed() {
  %a = alloca i32
  call void @fill(ptr %a)
  %v = load volatile i32, ptr %a
  call void @wait_if(i32 %v)
  ret void
}

define internal void @wait_if(i32 %v) {
  %go = icmp ult i32 %v, 16
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}
;;; stderr[simplified]
; error[OFC0012]: kernel `kept` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: LLVM's optimiser has not changed this input, but rustc's own may have: it copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
; error[OFC0012]: kernel `passed` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
;;; stderr[plain]
; error[OFC0012]: kernel `kept` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: LLVM's optimiser has not changed this input, but rustc's own may have: it copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
; error[OFC0012]: kernel `passed` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
