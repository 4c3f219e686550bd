; When the first and the last thread of a block decide the number of iterations. A value that differs between the
; threads may rise or fall, but must not wrap around between the two, and only one row may have a number that depends on
; y. If it may wrap around more than once, or depends on memory that may change, they decide nothing.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | grep -v '^;' | sed -n '/^define.*thread.0.counts(/,/^}/p' | grep 'define\|icmp ule\|%. = sub\|ret'

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_thread_id_y()
declare i32 @__offload_block_dim_x()
declare void @__offload_sync_threads()
declare i64 @llvm.usub.sat.i64(i64, i64)

define ptx_kernel void @rises(ptr %out, i64 %n, i64 %by) {
  %x = call i32 @__offload_thread_id_x()
  %y = call i32 @__offload_thread_id_y()
  %size = call i32 @__offload_block_dim_x()
  %i = zext i32 %x to i64
  %j = zext i32 %y to i64
  %step = zext i32 %size to i64
  %begin = add i64 %i, %by
  %left = call i64 @llvm.usub.sat.i64(i64 %n, i64 %begin)
  %whole = udiv i64 %left, %step
  %rest = urem i64 %left, %step
  %has = icmp ne i64 %rest, 0
  %one = zext i1 %has to i64
  %count = add i64 %whole, %one
  %some = icmp ne i64 %count, 0
  br i1 %some, label %loop, label %met

loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %at = phi i64 [ %i, %0 ], [ %then, %loop ]
  %to = getelementptr i64, ptr %out, i64 %at
  store i64 %k, ptr %to, align 8
  %then = add i64 %at, %step
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %met

met:
  call void @__offload_sync_threads()
  %first = load i64, ptr %out
  %place = getelementptr i64, ptr %out, i64 %i
  store i64 %first, ptr %place, align 8
  ret void
}

define ptx_kernel void @falls(ptr %out, i64 %n, i64 %by) {
  %x = call i32 @__offload_thread_id_x()
  %y = call i32 @__offload_thread_id_y()
  %size = call i32 @__offload_block_dim_x()
  %i = zext i32 %x to i64
  %j = zext i32 %y to i64
  %step = zext i32 %size to i64
  %begin = sub i64 %by, %i
  %left = call i64 @llvm.usub.sat.i64(i64 %n, i64 %begin)
  %whole = udiv i64 %left, %step
  %rest = urem i64 %left, %step
  %has = icmp ne i64 %rest, 0
  %one = zext i1 %has to i64
  %count = add i64 %whole, %one
  %some = icmp ne i64 %count, 0
  br i1 %some, label %loop, label %met

loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %at = phi i64 [ %i, %0 ], [ %then, %loop ]
  %to = getelementptr i64, ptr %out, i64 %at
  store i64 %k, ptr %to, align 8
  %then = add i64 %at, %step
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %met

met:
  call void @__offload_sync_threads()
  %first = load i64, ptr %out
  %place = getelementptr i64, ptr %out, i64 %i
  store i64 %first, ptr %place, align 8
  ret void
}

define ptx_kernel void @rows(ptr %out, i64 %n, i64 %by) {
  %x = call i32 @__offload_thread_id_x()
  %y = call i32 @__offload_thread_id_y()
  %size = call i32 @__offload_block_dim_x()
  %i = zext i32 %x to i64
  %j = zext i32 %y to i64
  %step = zext i32 %size to i64
  %begin = add i64 %i, %j
  %left = call i64 @llvm.usub.sat.i64(i64 %n, i64 %begin)
  %whole = udiv i64 %left, %step
  %rest = urem i64 %left, %step
  %has = icmp ne i64 %rest, 0
  %one = zext i1 %has to i64
  %count = add i64 %whole, %one
  %some = icmp ne i64 %count, 0
  br i1 %some, label %loop, label %met

loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %at = phi i64 [ %i, %0 ], [ %then, %loop ]
  %to = getelementptr i64, ptr %out, i64 %at
  store i64 %k, ptr %to, align 8
  %then = add i64 %at, %step
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %met

met:
  call void @__offload_sync_threads()
  %first = load i64, ptr %out
  %place = getelementptr i64, ptr %out, i64 %i
  store i64 %first, ptr %place, align 8
  ret void
}

define ptx_kernel void @steep(ptr %out, i64 %n, i64 %by) {
  %x = call i32 @__offload_thread_id_x()
  %y = call i32 @__offload_thread_id_y()
  %size = call i32 @__offload_block_dim_x()
  %i = zext i32 %x to i64
  %j = zext i32 %y to i64
  %step = zext i32 %size to i64
  %begin = mul i64 %i, 8589934592
  %left = call i64 @llvm.usub.sat.i64(i64 %n, i64 %begin)
  %whole = udiv i64 %left, %step
  %rest = urem i64 %left, %step
  %has = icmp ne i64 %rest, 0
  %one = zext i1 %has to i64
  %count = add i64 %whole, %one
  %some = icmp ne i64 %count, 0
  br i1 %some, label %loop, label %met

loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %at = phi i64 [ %i, %0 ], [ %then, %loop ]
  %to = getelementptr i64, ptr %out, i64 %at
  store i64 %k, ptr %to, align 8
  %then = add i64 %at, %step
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %met

met:
  call void @__offload_sync_threads()
  %first = load i64, ptr %out
  %place = getelementptr i64, ptr %out, i64 %i
  store i64 %first, ptr %place, align 8
  ret void
}

define ptx_kernel void @memory(ptr %out, i64 %n, i64 %by) {
  %x = call i32 @__offload_thread_id_x()
  %y = call i32 @__offload_thread_id_y()
  %size = call i32 @__offload_block_dim_x()
  %i = zext i32 %x to i64
  %j = zext i32 %y to i64
  %step = zext i32 %size to i64
  %begin = add i64 %i, 0
  %p0 = getelementptr i64, ptr %out, i64 0
  %l0 = load i64, ptr %p0
  %p1 = getelementptr i64, ptr %out, i64 1
  %l1 = load i64, ptr %p1
  %p2 = getelementptr i64, ptr %out, i64 2
  %l2 = load i64, ptr %p2
  %p3 = getelementptr i64, ptr %out, i64 3
  %l3 = load i64, ptr %p3
  %p4 = getelementptr i64, ptr %out, i64 4
  %l4 = load i64, ptr %p4
  %p5 = getelementptr i64, ptr %out, i64 5
  %l5 = load i64, ptr %p5
  %p6 = getelementptr i64, ptr %out, i64 6
  %l6 = load i64, ptr %p6
  %p7 = getelementptr i64, ptr %out, i64 7
  %l7 = load i64, ptr %p7
  %p8 = getelementptr i64, ptr %out, i64 8
  %l8 = load i64, ptr %p8
  %s1 = add i64 %l1, %l0
  %s2 = add i64 %l2, %s1
  %s3 = add i64 %l3, %s2
  %s4 = add i64 %l4, %s3
  %s5 = add i64 %l5, %s4
  %s6 = add i64 %l6, %s5
  %s7 = add i64 %l7, %s6
  %there = getelementptr i64, ptr %out, i64 %i
  %left = call i64 @llvm.usub.sat.i64(i64 %l8, i64 %begin)
  %whole = udiv i64 %left, %step
  %rest = urem i64 %left, %step
  %has = icmp ne i64 %rest, 0
  %one = zext i1 %has to i64
  %count = add i64 %whole, %one
  %some = icmp ne i64 %count, 0
  br i1 %some, label %loop, label %met

loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %at = phi i64 [ %i, %0 ], [ %then, %loop ]
  %to = getelementptr i64, ptr %out, i64 %at
  store i64 %k, ptr %to, align 8
  %then = add i64 %at, %step
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %met

met:
  call void @__offload_sync_threads()
  %first = load i64, ptr %out
  %place = getelementptr i64, ptr %out, i64 %i
  %all = add i64 %first, %s7
  store i64 %all, ptr %place, align 8
  ret void
}
;;; stdout
; define internal i1 @rises.thread.0.counts(ptr %0, i64 %1, i64 %2, ptr %3, i32 %4, i32 %5, i32 %6, ptr %7, i64 %8, i64 %9, i32 %10) #2 {
;   %30 = icmp ule i64 %2, %22
;   ret i1 %31
; define internal i1 @falls.thread.0.counts(ptr %0, i64 %1, i64 %2, ptr %3, i32 %4, i32 %5, i32 %6, ptr %7, i64 %8, i64 %9, i32 %10) #2 {
;   %30 = icmp ule i64 %22, %2
;   ret i1 %31
; define internal i1 @rows.thread.0.counts(ptr %0, i64 %1, i64 %2, ptr %3, i32 %4, i32 %5, i32 %6, ptr %7, i64 %8, i64 %9, i32 %10) #2 {
;   %33 = icmp ule i32 %32, 1
;   ret i1 %34
