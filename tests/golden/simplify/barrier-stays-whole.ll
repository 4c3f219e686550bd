; Simplification neither copies a barrier into branches nor moves it out of a loop.
; RUN: offloadc %s -O3 --offload-arch=cpu --emit=simplify=- | grep -c 'call void @__offload_sync_threads'

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define ptx_kernel void @k(ptr noalias %out, ptr noalias %in, i32 %n) {
entry:
  %c = icmp ult i32 %n, 100
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %join ]
  br i1 %c, label %then, label %join
then:
  store i32 %i, ptr %out
  br label %join
join:
  call void @__offload_sync_threads()
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  br i1 %c, label %last, label %leave
last:
  store i32 1, ptr %in
  br label %leave
leave:
  call void @__offload_sync_threads()
  ret void
}
;;; stdout
; 2
