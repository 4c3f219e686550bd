; All threads combine one loaded weight with their own elements: sixteen threads share it, also where a vector has 128
; bits, if each row of the block has a multiple of that. A loop with more that differs between threads keeps eight.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@filter.thread.*vector(.*{/,/^}/p;/@two.thread.*vector(.*{/,/^}/p;/@odd.thread.*vector(.*{/,/^}/p;/@data.thread.*vector(.*{/,/^}/p'
; CHECK: define internal void @filter.thread
; CHECK: fadd <16 x float>
; CHECK: define internal void @two.thread
; CHECK: fadd <8 x float>
; CHECK: define internal void @odd.thread
; CHECK: fadd <8 x float>
; CHECK: define internal void @data.thread
; CHECK: fadd <8 x float>

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_block_size(i32, i32, i32)

define ptx_kernel void @filter(i64 %n, ptr noalias readonly %weights, ptr noalias readonly %from, ptr noalias %to) {
start:
  call void @__offload_block_size(i32 64, i32 1, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr float, ptr %from, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %weight.at = getelementptr float, ptr %weights, i64 %k
  %weight = load float, ptr %weight.at, align 4
  %at = getelementptr float, ptr %own, i64 %k
  %value = load float, ptr %at, align 4
  %product = fmul float %value, %weight
  %sum.next = fadd float %sum, %product
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  %out = getelementptr float, ptr %to, i64 %wide
  store float %sum.next, ptr %out, align 4
  ret void
}

; An element is used twice.
define ptx_kernel void @two(i64 %n, ptr noalias readonly %weights, ptr noalias readonly %from, ptr noalias %to) {
start:
  call void @__offload_block_size(i32 64, i32 1, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr float, ptr %from, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %weight.at = getelementptr float, ptr %weights, i64 %k
  %weight = load float, ptr %weight.at, align 4
  %at = getelementptr float, ptr %own, i64 %k
  %value = load float, ptr %at, align 4
  %square = fmul float %value, %value
  %product = fmul float %square, %weight
  %sum.next = fadd float %sum, %product
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  %out = getelementptr float, ptr %to, i64 %wide
  store float %sum.next, ptr %out, align 4
  ret void
}

; Rows of 24.
define ptx_kernel void @odd(i64 %n, ptr noalias readonly %weights, ptr noalias readonly %from, ptr noalias %to) {
start:
  call void @__offload_block_size(i32 24, i32 1, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr float, ptr %from, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %weight.at = getelementptr float, ptr %weights, i64 %k
  %weight = load float, ptr %weight.at, align 4
  %at = getelementptr float, ptr %own, i64 %k
  %value = load float, ptr %at, align 4
  %product = fmul float %value, %weight
  %sum.next = fadd float %sum, %product
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  %out = getelementptr float, ptr %to, i64 %wide
  store float %sum.next, ptr %out, align 4
  ret void
}

; Threads leave the loop one by one.
define ptx_kernel void @data(i64 %n, ptr noalias readonly %weights, ptr noalias readonly %from, ptr noalias %to) {
start:
  call void @__offload_block_size(i32 64, i32 1, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr float, ptr %from, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %weight.at = getelementptr float, ptr %weights, i64 %k
  %weight = load float, ptr %weight.at, align 4
  %at = getelementptr float, ptr %own, i64 %k
  %value = load float, ptr %at, align 4
  %product = fmul float %value, %weight
  %sum.next = fadd float %sum, %product
  %k.next = add nuw i64 %k, 1
  %much = fcmp ogt float %sum.next, 1.0
  %all = icmp eq i64 %k.next, %n
  %done = or i1 %much, %all
  br i1 %done, label %end, label %loop

end:
  %out = getelementptr float, ptr %to, i64 %wide
  store float %sum.next, ptr %out, align 4
  ret void
}
