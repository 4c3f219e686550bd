; A barrier in a loop whose count is an argument, or the block's, is reached by all threads.
; RUN: offloadc %s --offload-arch=cpu --emit=validate=- | grep -c __offload_sync_threads

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare void @__offload_sync_threads()


define ptx_kernel void @k(i32 %n, ptr %out) {
entry:
  %b = call i32 @__offload_block_id_x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  call void @__offload_sync_threads()
  store volatile i32 %i, ptr %out
  %next = add i32 %i, 1
  %limit = add i32 %n, %b
  %more = icmp ult i32 %next, %limit
  br i1 %more, label %loop, label %end
end:
  call void @__offload_sync_threads()
  ret void
}
;;; stdout
; 3
