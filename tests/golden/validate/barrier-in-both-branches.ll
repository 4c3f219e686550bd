; Duplicates of a barrier on two exclusive paths, as host optimisers make them, are an error until they can be merged.
; FAIL: offloadc %s --offload-arch=cpu,sm_80 --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define ptx_kernel void @both(ptr %out) {
  %t = call i32 @__offload_thread_id_x()
  %low = icmp ult i32 %t, 16
  br i1 %low, label %then, label %else
then:
  store i32 1, ptr %out
  call void @__offload_sync_threads()
  br label %join
else:
  call void @__offload_sync_threads()
  br label %join
join:
  ret void
}
;;; stderr
; error[OFC0012]: kernel `both` has a barrier under control flow that differs between threads
;   = note: all threads of a block must reach the same barrier; the compiler that made this input may have duplicated or moved it
;   = note: for cpu, sm_80
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`, or with `-C opt-level=0` where rustc itself copied the barrier
;   = help: if the source has the barrier inside a condition on the thread's position, move it out
