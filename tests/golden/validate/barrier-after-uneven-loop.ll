; After a loop that threads leave at different times they are together again.
; RUN: offloadc %s --offload-arch=cpu --emit=validate=- | grep -c __offload_sync_threads

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare void @__offload_sync_threads()


define ptx_kernel void @k(ptr %out, i32 %n) {
entry:
  %t = call i32 @__offload_thread_id_x()
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  store volatile i32 %i, ptr %out
  %more = icmp ult i32 %i, %t
  br i1 %more, label %loop, label %after
after:
  call void @__offload_sync_threads()
  %low = icmp ult i32 %n, 4
  br i1 %low, label %then, label %end
then:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}
;;; stdout
; 3
