; Groups of sixteen are for loops that need few registers: not for divergent threads, three loop-carried vectors, loops
; without a shared value or with stores, elements of 64 bits or with a large stride, and divisions.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | grep '^define.*vector(' | sed 's/(.*//' | sort
; RUN[sixteen]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/^define.*vector(.*{/,/^}/p' | grep 'define\|fadd <16' | grep -B1 '^ ' | grep define | sed 's/(.*//' | sort

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_block_size(i32, i32, i32)

define ptx_kernel void @shared(i64 %n, ptr noalias readonly %weights, ptr noalias readonly %from, ptr noalias %to) {
start:
  call void @__offload_block_size(i32 64, i32 1, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr float, ptr %from, i64 %wide
  %out = getelementptr float, ptr %to, i64 %wide
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
  store float %sum.next, ptr %out, align 4
  ret void
}

define ptx_kernel void @parted(i64 %n, ptr noalias readonly %weights, ptr noalias readonly %from, ptr noalias %to) {
start:
  call void @__offload_block_size(i32 64, i32 1, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr float, ptr %from, i64 %wide
  %out = getelementptr float, ptr %to, i64 %wide
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
  store float %sum.next, ptr %out, align 4
  %some = fcmp ogt float %sum.next, 1.0
  br i1 %some, label %more, label %leave

more:
  %behind = getelementptr float, ptr %out, i64 64
  store float 1.0, ptr %behind
  br label %leave

leave:
  ret void
}

define ptx_kernel void @three(i64 %n, ptr noalias readonly %weights, ptr noalias readonly %from, ptr noalias %to) {
start:
  call void @__offload_block_size(i32 64, i32 1, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr float, ptr %from, i64 %wide
  %out = getelementptr float, ptr %to, i64 %wide
  %a0 = load float, ptr %own
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %a = phi float [ %a0, %start ], [ %a.next, %loop ]
  %b = phi float [ %a0, %start ], [ %b.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %weight.at = getelementptr float, ptr %weights, i64 %k
  %weight = load float, ptr %weight.at, align 4
  %at = getelementptr float, ptr %own, i64 %k
  %value = load float, ptr %at, align 4
  %a.next = fadd float %a, %weight
  %b.next = fmul float %b, %weight
  %product = fmul float %value, %weight
  %sum.next = fadd float %sum, %product
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  store float %sum.next, ptr %out, align 4
  %o1 = getelementptr float, ptr %out, i64 64
  store float %a.next, ptr %o1
  %o2 = getelementptr float, ptr %out, i64 128
  store float %b.next, ptr %o2
  ret void
}

define ptx_kernel void @uniform(i64 %n, ptr noalias readonly %weights, ptr noalias readonly %from, ptr noalias %to) {
start:
  call void @__offload_block_size(i32 64, i32 1, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr float, ptr %from, i64 %wide
  %out = getelementptr float, ptr %to, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %w = phi float [ 0.0, %start ], [ %w.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %weight.at = getelementptr float, ptr %weights, i64 %k
  %weight = load float, ptr %weight.at, align 4
  %at = getelementptr float, ptr %own, i64 %k
  %value = load float, ptr %at, align 4
  %w.next = fadd float %w, %weight
  %product = fmul float %value, 2.0
  %sum.next = fadd float %sum, %product
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  store float %sum.next, ptr %out, align 4
  %o1 = getelementptr float, ptr %out, i64 64
  store float %w.next, ptr %o1
  ret void
}

define ptx_kernel void @before(i64 %n, ptr noalias readonly %weights, ptr noalias readonly %from, ptr noalias %to) {
start:
  call void @__offload_block_size(i32 64, i32 1, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr float, ptr %from, i64 %wide
  %out = getelementptr float, ptr %to, i64 %wide
  %weight = load float, ptr %weights
  %value = load float, ptr %own
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi float [ %value, %start ], [ %sum.next, %loop ]
  %product = fmul float %sum, %weight
  %sum.next = fadd float %product, 1.0
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  store float %sum.next, ptr %out, align 4
  ret void
}

define ptx_kernel void @alone(i64 %n, ptr noalias readonly %weights, ptr noalias readonly %from, ptr noalias %to) {
start:
  call void @__offload_block_size(i32 64, i32 1, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr float, ptr %from, i64 %wide
  %out = getelementptr float, ptr %to, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %weight.at = getelementptr float, ptr %weights, i64 %k
  %weight = load float, ptr %weight.at, align 4
  %at = getelementptr float, ptr %own, i64 %k
  %value = load float, ptr %at, align 4
  %product = fmul float %value, 2.0
  %sum.next = fadd float %sum, %product
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  store float %sum.next, ptr %out, align 4
  ret void
}

define ptx_kernel void @stores(i64 %n, ptr noalias readonly %weights, ptr noalias readonly %from, ptr noalias %to) {
start:
  call void @__offload_block_size(i32 64, i32 1, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr float, ptr %from, i64 %wide
  %out = getelementptr float, ptr %to, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %weight.at = getelementptr float, ptr %weights, i64 %k
  %weight = load float, ptr %weight.at, align 4
  %at = getelementptr float, ptr %own, i64 %k
  %value = load float, ptr %at, align 4
  %into = getelementptr [16 x float], ptr %out, i64 %k
  store float %weight, ptr %into
  %product = fmul float %value, %weight
  %sum.next = fadd float %sum, %product
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  store float %sum.next, ptr %out, align 4
  ret void
}

define ptx_kernel void @apart(i64 %n, ptr noalias readonly %weights, ptr noalias readonly %from, ptr noalias %to) {
start:
  call void @__offload_block_size(i32 64, i32 1, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr float, ptr %from, i64 %wide
  %out = getelementptr float, ptr %to, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %weight.at = getelementptr float, ptr %weights, i64 %k
  %weight = load float, ptr %weight.at, align 4
  %far = mul i64 %wide, 12
  %there = getelementptr i8, ptr %own, i64 %far
  %at = getelementptr float, ptr %there, i64 %k
  %value = load float, ptr %at, align 4
  %product = fmul float %value, %weight
  %sum.next = fadd float %sum, %product
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  store float %sum.next, ptr %out, align 4
  ret void
}

define ptx_kernel void @double(i64 %n, ptr noalias readonly %weights, ptr noalias readonly %from, ptr noalias %to) {
start:
  call void @__offload_block_size(i32 64, i32 1, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr double, ptr %from, i64 %wide
  %out = getelementptr double, ptr %to, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi double [ 0.0, %start ], [ %sum.next, %loop ]
  %weight.at = getelementptr double, ptr %weights, i64 %k
  %weight = load double, ptr %weight.at, align 4
  %at = getelementptr double, ptr %own, i64 %k
  %value = load double, ptr %at, align 4
  %product = fmul double %value, %weight
  %sum.next = fadd double %sum, %product
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  store double %sum.next, ptr %out, align 4
  ret void
}

define ptx_kernel void @divides(i64 %n, ptr noalias readonly %weights, ptr noalias readonly %from, ptr noalias %to) {
start:
  call void @__offload_block_size(i32 64, i32 1, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr float, ptr %from, i64 %wide
  %out = getelementptr float, ptr %to, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %weight.at = getelementptr float, ptr %weights, i64 %k
  %weight = load float, ptr %weight.at, align 4
  %at = getelementptr float, ptr %own, i64 %k
  %value = load float, ptr %at, align 4
  %product = fdiv float %value, %weight
  %sum.next = fadd float %sum, %product
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  store float %sum.next, ptr %out, align 4
  ret void
}
;;; stdout
; define internal void @alone.thread.vector
; define internal void @apart.thread.vector
; define internal void @before.thread.vector
; define internal void @divides.thread.vector
; define internal void @double.thread.vector
; define internal void @parted.thread.vector
; define internal void @shared.thread.vector
; define internal void @stores.thread.vector
; define internal void @three.thread.vector
; define internal void @uniform.thread.vector
;;; stdout[sixteen]
; define internal void @shared.thread.vector
