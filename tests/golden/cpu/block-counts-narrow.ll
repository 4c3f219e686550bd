; The number of iterations of a loop up to an `n: u32` as a `usize`: LLVM divides in 32 bits if the number is small, and
; extends the quotient. The number is the same, so the first and the last thread of a block decide whether all have the
; same one, and the threads of a group are assumed to have the same one. Where the difference may have more bits than
; are divided, and where the number itself has fewer, there is no such number.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu --cpu-vectorize=always | grep -v '^;'
; CHECK: define internal i32 @narrow.thread.0.counted(
; CHECK: define internal i1 @narrow.thread.0.counts(
; CHECK: call i64 @llvm.usub.sat.i64(
; CHECK-NOT: @cut.thread.0.count
; CHECK-NOT: @short.thread.0.count
; CHECK: define internal i64 @offload.spmd.count.i64(
; CHECK-NOT: @cut.thread.0.count
; CHECK-NOT: @short.thread.0.count

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_dim_x()
declare void @__offload_sync_threads()
declare i64 @llvm.usub.sat.i64(i64, i64)

define ptx_kernel void @narrow(ptr %out, i32 %n) {
  %x = call i32 @__offload_thread_id_x()
  %size = call i32 @__offload_block_dim_x()
  %begin = zext i32 %x to i64
  %step = zext i32 %size to i64
  %end = zext i32 %n to i64
  %difference = call i64 @llvm.usub.sat.i64(i64 %end, i64 %begin)
  %left = trunc nuw i64 %difference to i32
  %quotient = udiv i32 %left, %size
  %whole = zext i32 %quotient to i64
  %rest = urem i32 %left, %size
  %has = icmp ne i32 %rest, 0
  %one = zext i1 %has to i64
  %count = add nuw nsw i64 %one, %whole
  %some = icmp ne i64 %count, 0
  br i1 %some, label %loop, label %met

loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %at = phi i64 [ %begin, %0 ], [ %then, %loop ]
  %to = getelementptr i64, ptr %out, i64 %at
  store i64 %k, ptr %to, align 8
  %then = add i64 %at, %step
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %met

met:
  call void @__offload_sync_threads()
  %first = load i64, ptr %out
  %place = getelementptr i64, ptr %out, i64 %begin
  store i64 %first, ptr %place, align 8
  ret void
}

define ptx_kernel void @cut(ptr %out, i64 %end) {
  %x = call i32 @__offload_thread_id_x()
  %size = call i32 @__offload_block_dim_x()
  %begin = zext i32 %x to i64
  %step = zext i32 %size to i64
  %difference = call i64 @llvm.usub.sat.i64(i64 %end, i64 %begin)
  %left = trunc i64 %difference to i32
  %quotient = udiv i32 %left, %size
  %whole = zext i32 %quotient to i64
  %rest = urem i32 %left, %size
  %has = icmp ne i32 %rest, 0
  %one = zext i1 %has to i64
  %count = add nuw nsw i64 %one, %whole
  %some = icmp ne i64 %count, 0
  br i1 %some, label %loop, label %met

loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %at = phi i64 [ %begin, %0 ], [ %then, %loop ]
  %to = getelementptr i64, ptr %out, i64 %at
  store i64 %k, ptr %to, align 8
  %then = add i64 %at, %step
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %met

met:
  call void @__offload_sync_threads()
  %first = load i64, ptr %out
  %place = getelementptr i64, ptr %out, i64 %begin
  store i64 %first, ptr %place, align 8
  ret void
}

define ptx_kernel void @short(ptr %out, i32 %n) {
  %x = call i32 @__offload_thread_id_x()
  %size = call i32 @__offload_block_dim_x()
  %begin = zext i32 %x to i64
  %step = zext i32 %size to i64
  %end = zext i32 %n to i64
  %difference = call i64 @llvm.usub.sat.i64(i64 %end, i64 %begin)
  %left = trunc nuw i64 %difference to i32
  %whole = udiv i32 %left, %size
  %rest = urem i32 %left, %size
  %has = icmp ne i32 %rest, 0
  %one = zext i1 %has to i32
  %count = add nuw nsw i32 %one, %whole
  %some = icmp ne i32 %count, 0
  br i1 %some, label %loop, label %met

loop:
  %k = phi i32 [ 0, %0 ], [ %next, %loop ]
  %at = phi i64 [ %begin, %0 ], [ %then, %loop ]
  %to = getelementptr i64, ptr %out, i64 %at
  store i64 %at, ptr %to, align 8
  %then = add i64 %at, %step
  %next = add i32 %k, 1
  %again = icmp ult i32 %next, %count
  br i1 %again, label %loop, label %met

met:
  call void @__offload_sync_threads()
  %first = load i64, ptr %out
  %place = getelementptr i64, ptr %out, i64 %begin
  store i64 %first, ptr %place, align 8
  ret void
}
