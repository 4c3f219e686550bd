; A local variable that only some threads write, in a branch or by copying, differs between threads.
; FAIL: offloadc %s --offload-arch=cpu --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare void @__offload_sync_threads()


declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define ptx_kernel void @written(ptr %out, i32 %n) {
  %a = alloca [4 x i32]
  %t = call i32 @__offload_thread_id_x()
  %first = icmp eq i32 %t, 0
  br i1 %first, label %then, label %join
then:
  store volatile i32 1, ptr %a
  br label %join
join:
  %v = load volatile i32, ptr %a
  %go = icmp eq i32 %v, 1
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}

define ptx_kernel void @copied(ptr %in, i32 %n) {
  %a = alloca [64 x i32]
  %t = call i32 @__offload_thread_id_x()
  %from = getelementptr i32, ptr %in, i32 %t
  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %from, i64 256, i1 true)
  %slot = getelementptr i32, ptr %a, i32 %n
  %v = load i32, ptr %slot
  %go = icmp eq i32 %v, 1
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}
;;; stderr
; error[OFC0012]: kernel `written` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: LLVM's optimiser has not changed this input, but rustc's own may have: it copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
; error[OFC0012]: kernel `copied` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
