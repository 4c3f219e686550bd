; Which loops are unrolled until each thread reads a run: not those whose loads are volatile, are of 16 bytes or of one, or
; are those of all threads or beside those of the others, whose elements are not adjacent, and at whose end
; threads may part. The numbers are those of loads.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu --cpu-vectorize=always | sed -n '/^define.*thread.vector(.*{/,/^}/p' | awk '/^define/ { name = $4 } /= load/ { loads[name]++ } END { for (name in loads) print name, loads[name] }' | sed 's/(.*) / /; s/(ptr//; s/(i[0-9]*//' | sort

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @run(i64 %n, ptr noalias readonly %from, ptr noalias %to) {
start:
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr [64 x float], ptr %from, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %at = getelementptr float, ptr %own, i64 %k
  %value = load float, ptr %at, align 1
  %sum.next = fadd float %sum, %value
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  %out = getelementptr float, ptr %to, i64 %wide
  store float %sum.next, ptr %out, align 1
  ret void
}

define ptx_kernel void @volatile(i64 %n, ptr noalias readonly %from, ptr noalias %to) {
start:
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr [64 x float], ptr %from, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %at = getelementptr float, ptr %own, i64 %k
  %value = load volatile float, ptr %at, align 4
  %sum.next = fadd float %sum, %value
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  %out = getelementptr float, ptr %to, i64 %wide
  store float %sum.next, ptr %out, align 1
  ret void
}

define ptx_kernel void @long(i64 %n, ptr noalias readonly %from, ptr noalias %to) {
start:
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr [64 x i128], ptr %from, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi i128 [ 0, %start ], [ %sum.next, %loop ]
  %at = getelementptr i128, ptr %own, i64 %k
  %value = load i128, ptr %at, align 1
  %sum.next = add i128 %sum, %value
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  %out = getelementptr i128, ptr %to, i64 %wide
  store i128 %sum.next, ptr %out, align 1
  ret void
}

define ptx_kernel void @bytes(i64 %n, ptr noalias readonly %from, ptr noalias %to) {
start:
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr [64 x i8], ptr %from, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi i8 [ 0, %start ], [ %sum.next, %loop ]
  %at = getelementptr i8, ptr %own, i64 %k
  %value = load i8, ptr %at, align 1
  %sum.next = add i8 %sum, %value
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  %out = getelementptr i8, ptr %to, i64 %wide
  store i8 %sum.next, ptr %out, align 1
  ret void
}

define ptx_kernel void @beside(i64 %n, ptr noalias readonly %from, ptr noalias %to) {
start:
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr float, ptr %from, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %at = getelementptr float, ptr %own, i64 %k
  %value = load float, ptr %at, align 1
  %sum.next = fadd float %sum, %value
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  %out = getelementptr float, ptr %to, i64 %wide
  store float %sum.next, ptr %out, align 1
  ret void
}

define ptx_kernel void @same(i64 %n, ptr noalias readonly %from, ptr noalias %to) {
start:
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr float, ptr %from, i64 2
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %at = getelementptr float, ptr %own, i64 %k
  %value = load float, ptr %at, align 1
  %sum.next = fadd float %sum, %value
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  %out = getelementptr float, ptr %to, i64 %wide
  store float %sum.next, ptr %out, align 1
  ret void
}

define ptx_kernel void @gaps(i64 %n, ptr noalias readonly %from, ptr noalias %to) {
start:
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr [64 x float], ptr %from, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %two = shl i64 %k, 1
  %at = getelementptr float, ptr %own, i64 %two
  %value = load float, ptr %at, align 1
  %sum.next = fadd float %sum, %value
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  %out = getelementptr float, ptr %to, i64 %wide
  store float %sum.next, ptr %out, align 1
  ret void
}

define ptx_kernel void @part(i64 %n, ptr noalias readonly %from, ptr noalias %to) {
start:
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr [64 x float], ptr %from, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %at = getelementptr float, ptr %own, i64 %k
  %value = load float, ptr %at, align 1
  %sum.next = fadd float %sum, %value
  %k.next = add nuw i64 %k, 1
  %done = icmp ugt i64 %k.next, %wide
  br i1 %done, label %end, label %loop

end:
  %out = getelementptr float, ptr %to, i64 %wide
  store float %sum.next, ptr %out, align 1
  ret void
}

define ptx_kernel void @any(i64 %n, ptr noalias readonly %from, ptr noalias %to) {
start:
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %far.at = getelementptr i64, ptr %from, i64 %wide
  %far = load i64, ptr %far.at
  %own = getelementptr float, ptr %from, i64 %far
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %at = getelementptr float, ptr %own, i64 %k
  %value = load float, ptr %at, align 1
  %sum.next = fadd float %sum, %value
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  %out = getelementptr float, ptr %to, i64 %wide
  store float %sum.next, ptr %out, align 1
  ret void
}
;;; stdout
; @any.thread.vector 14
; @beside.thread.vector 6
; @bytes.thread.vector 13
; @gaps.thread.vector 13
; @long.thread.vector 27
; @part.thread.vector 16
; @run.thread.vector 37
; @same.thread.vector 6
; @volatile.thread.vector 13
