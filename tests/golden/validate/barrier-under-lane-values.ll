; Shuffles, ballots, atomics, clocks and other functions give threads different values.
; FAIL: offloadc %s --offload-arch=cpu --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare void @__offload_sync_threads()


declare i32 @__offload_shuffle_xor(i32, i32)
declare i64 @__offload_ballot(i1)
declare i64 @llvm.readcyclecounter()

define internal void @wait_if(i64 %v) alwaysinline {
  %go = icmp ult i64 %v, 16
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}

define ptx_kernel void @shuffle(i32 %n) {
  %v = call i32 @__offload_shuffle_xor(i32 %n, i32 1)
  %w = zext i32 %v to i64
  call void @wait_if(i64 %w)
  ret void
}

define ptx_kernel void @ballot(i1 %n) {
  %v = call i64 @__offload_ballot(i1 %n)
  call void @wait_if(i64 %v)
  ret void
}

define ptx_kernel void @atomic(ptr %counter) {
  %v = atomicrmw add ptr %counter, i64 1 monotonic
  call void @wait_if(i64 %v)
  ret void
}

define ptx_kernel void @clock() {
  %v = call i64 @llvm.readcyclecounter()
  call void @wait_if(i64 %v)
  ret void
}
;;; stderr
; error[OFC0012]: kernel `shuffle` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
; error[OFC0012]: kernel `ballot` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
; error[OFC0012]: kernel `atomic` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
; error[OFC0012]: kernel `clock` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
