; Duplicates of a barrier on two exclusive paths, as host optimisers make them, become one again.
; RUN: offloadc %s --offload-arch=cpu,sm_80 --emit=validate=- | grep -c -e 'call void @__offload_sync_threads' -e 'br i1 %way'

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
  store i32 2, ptr %out
  br label %join
else:
  call void @__offload_sync_threads()
  br label %join
join:
  ret void
}
;;; stdout
; 2
