; While no thread of a block leaves a grid-stride loop, its iterations have no branches: the counter of the first thread
; decides. The reads of the iteration after the next one are prefetched. LLVM vectorises the sum of an iteration.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@add.*iteration.*{/,/^}/p'
; RUN[vector]: offloadc %s -O2 --emit=optimize=- --offload-arch=cpu | grep -c 'store <4 x float>'
; RUN[ahead]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | grep -c 'call i64 @add.thread.1.iteration.next('
; CHECK: define internal i32 @add.thread.1.iteration.fast(
; CHECK-NOT: br i1
; CHECK: fadd float
; CHECK-NOT: icmp
; CHECK: ret i32 1
; CHECK: define internal i1 @add.thread.1.iteration.whole(
; CHECK: icmp ult
; CHECK: define internal void @add.thread.1.iteration.prefetch(
; CHECK: @llvm.prefetch
; CHECK: define internal i64 @add.thread.1.iteration.next(

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare i32 @__offload_block_dim_x()
declare i32 @__offload_grid_dim_x()

define ptx_kernel void @add(ptr noalias readonly %from, ptr noalias %to, i64 %n) {
  %x = call i32 @__offload_thread_id_x()
  %block = call i32 @__offload_block_id_x()
  %dim = call i32 @__offload_block_dim_x()
  %blocks = call i32 @__offload_grid_dim_x()
  %start = mul i32 %block, %dim
  %first = add i32 %start, %x
  %i = zext i32 %first to i64
  %all = mul i32 %blocks, %dim
  %stride = zext i32 %all to i64
  %some = icmp ult i64 %i, %n
  br i1 %some, label %loop, label %leave

loop:
  %own = phi i64 [ %i, %0 ], [ %next, %loop ]
  %in = getelementptr float, ptr %from, i64 %own
  %value = load float, ptr %in, align 4
  %out = getelementptr float, ptr %to, i64 %own
  %before = load float, ptr %out, align 4
  %sum = fadd float %before, %value
  store float %sum, ptr %out, align 4
  %next = add i64 %own, %stride
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %leave

leave:
  ret void
}
;;; stdout[vector]
; 2
;;; stdout[ahead]
; 2
