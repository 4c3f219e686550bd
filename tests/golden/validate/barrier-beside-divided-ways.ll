; Paths of some threads that meet before the barrier, or end in a trap, do not make it divergent.
; RUN: offloadc %s --offload-arch=cpu --emit=validate=- | grep -c __offload_sync_threads

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare void @__offload_sync_threads()


declare void @llvm.trap()

define ptx_kernel void @k(ptr noalias %out, ptr noalias %in, i32 %n) {
  %t = call i32 @__offload_thread_id_x()
  %low = icmp ult i32 %t, 16
  br i1 %low, label %low_half, label %high_half
low_half:
  store volatile i32 1, ptr %out
  br label %join
high_half:
  %inside = icmp ult i32 %t, %n
  br i1 %inside, label %join, label %panic
panic:
  store volatile i32 9, ptr %out
  call void @llvm.trap()
  unreachable
join:
  %uniform = load i32, ptr %in
  %go = icmp eq i32 %uniform, %n
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}
;;; stdout
; 2
