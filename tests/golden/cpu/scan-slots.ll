; Where one thread of a scan adds up all values, the others store nothing: the values in their slots are those that they
; have loaded.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/^define.*@scan.thread.1.then(/,/^}/p'

target triple = "x86_64-unknown-linux-gnu"

@sums = internal global [64 x i32] undef, section ".offload.shared"

declare void @__offload_block_size(i32, i32, i32)
declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define ptx_kernel void @scan(ptr %io) {
entry:
  call void @__offload_block_size(i32 64, i32 1, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %place = getelementptr i32, ptr %io, i64 %wide
  %first = load i32, ptr %place
  %own = getelementptr [64 x i32], ptr @sums, i64 0, i64 %wide
  store i32 %first, ptr %own
  call void @__offload_sync_threads()
  br label %step

step:
  %sum = phi i32 [ %first, %entry ], [ %added, %store ]
  %distance = phi i64 [ 1, %entry ], [ %next, %store ]
  %reads = icmp uge i64 %wide, %distance
  br i1 %reads, label %read, label %store

read:
  %at = sub i64 %wide, %distance
  %from = getelementptr [64 x i32], ptr @sums, i64 0, i64 %at
  %there = load i32, ptr %from
  br label %store

store:
  %other = phi i32 [ %there, %read ], [ 0, %step ]
  call void @__offload_sync_threads()
  %added = add i32 %sum, %other
  store i32 %added, ptr %own
  call void @__offload_sync_threads()
  %next = mul i64 %distance, 2
  %more = icmp ult i64 %next, 64
  br i1 %more, label %step, label %leave

leave:
  store i32 %added, ptr %place
  ret void
}
;;; stdout
; define internal i32 @scan.thread.1.then(ptr %io, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7, i64 %8) local_unnamed_addr #0 {
; prologue:
;   %9 = mul i64 %5, 4
;   %10 = getelementptr inbounds i8, ptr %4, i64 %9
;   %11 = getelementptr inbounds i8, ptr %0, i64 40
;   %12 = load ptr, ptr %11, align 8, !invariant.load !0
;   %13 = icmp eq i32 %1, 0
;   br i1 %13, label %sums, label %scanned
;
; sums:                                             ; preds = %prologue
;   %14 = load i32, ptr %12, align 4
;   br label %sum1
;
; scanned:                                          ; preds = %sum1, %prologue
;   store i64 %8, ptr %10, align 8
;   ret i32 4
;
; sum1:                                             ; preds = %sum1, %sums
;   %15 = phi i64 [ 1, %sums ], [ %20, %sum1 ]
;   %16 = phi i32 [ %14, %sums ], [ %19, %sum1 ]
;   %17 = getelementptr inbounds i32, ptr %12, i64 %15
;   %18 = load i32, ptr %17, align 4
;   %19 = add i32 %16, %18
;   store i32 %19, ptr %17, align 4
;   %20 = add nuw i64 %15, 1
;   %21 = icmp ult i64 %20, 64
;   br i1 %21, label %sum1, label %scanned
; }
