; The number of iterations of a loop with a step is divided once for several threads: that of the last thread is compared
; without a division. Those between them have it, too, if the threads' numbers do not begin again at 0.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@sums.thread.vector(.*{/,/^}/p' | grep -c "call i32 @offload.spmd.count.i32("
; RUN[rises]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@sums.thread.vector(.*{/,/^}/p' | grep -c 'freeze i1'

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_dim_x()
declare i32 @llvm.usub.sat.i32(i32, i32)

define ptx_kernel void @sums(ptr %a, ptr %out, i32 %n) {
  %x = call i32 @__offload_thread_id_x()
  %step = call i32 @__offload_block_dim_x()
  %left = call i32 @llvm.usub.sat.i32(i32 %n, i32 %x)
  %whole = udiv i32 %left, %step
  %rest = urem i32 %left, %step
  %has = icmp ne i32 %rest, 0
  %one = zext i1 %has to i32
  %count = add i32 %whole, %one
  %i = zext i32 %x to i64
  %by = zext i32 %step to i64
  %some = icmp ne i32 %count, 0
  br i1 %some, label %loop, label %leave

loop:
  %k = phi i32 [ 0, %0 ], [ %next, %loop ]
  %at = phi i64 [ %i, %0 ], [ %then, %loop ]
  %sum = phi float [ 0.0, %0 ], [ %more, %loop ]
  %from = getelementptr float, ptr %a, i64 %at
  %value = load float, ptr %from, align 4
  %more = fadd float %sum, %value
  %then = add i64 %at, %by
  %next = add i32 %k, 1
  %again = icmp ult i32 %next, %count
  br i1 %again, label %loop, label %end

end:
  %to = getelementptr float, ptr %out, i64 %i
  store float %more, ptr %to, align 4
  br label %leave

leave:
  ret void
}
;;; stdout
; 1
;;; stdout[rises]
; 2
