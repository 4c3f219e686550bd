; The distance of a scan's steps is the same in all threads, so it is one value for the block: a parameter of the
; regions, and the first branch of a region is decided before its loop over the threads. The sum of the loop and the
; loop's phi share a slot, so no region copies one to the other. The version for a range of threads is for those that
; read.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/^def.*3.\(then\|then.fast\|decide\)(/,/^}/p'

target triple = "x86_64-unknown-linux-gnu"

@sums = internal global [64 x i32] undef, section ".offload.shared"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define ptx_kernel void @scan(ptr %io) {
entry:
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %place = getelementptr i32, ptr %io, i64 %wide
  %first = load i32, ptr %place
  %own = getelementptr [64 x i32], ptr @sums, i64 0, i64 %wide
  store i32 %first, ptr %own
  call void @__offload_sync_threads()
  br label %step

step:
  %distance = phi i64 [ 1, %entry ], [ %double, %add ]
  %sum = phi i32 [ %first, %entry ], [ %next, %add ]
  %low = icmp ult i64 %wide, %distance
  br i1 %low, label %add, label %read

read:
  %from = sub i64 %wide, %distance
  %there = getelementptr [64 x i32], ptr @sums, i64 0, i64 %from
  %value = load i32, ptr %there
  br label %add

add:
  %other = phi i32 [ 0, %step ], [ %value, %read ]
  call void @__offload_sync_threads()
  %next = add i32 %sum, %other
  store i32 %next, ptr %own
  call void @__offload_sync_threads()
  %double = shl i64 %distance, 1
  %more = icmp ult i64 %double, 64
  br i1 %more, label %step, label %done

done:
  store i32 %next, ptr %place
  ret void
}
;;; stdout
; define internal i32 @scan.thread.3.then(ptr %io, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7, i64 %8) local_unnamed_addr #0 {
; prologue:
;   %9 = mul i64 %6, 4
;   %10 = getelementptr inbounds i8, ptr %4, i64 %9
;   %11 = mul i64 %5, 8
;   %12 = getelementptr inbounds i8, ptr %4, i64 %11
;   %13 = getelementptr inbounds i8, ptr %0, i64 40
;   %14 = load ptr, ptr %13, align 8, !invariant.load !0
;   %15 = zext i32 %1 to i64
;   %16 = shl nuw nsw i64 %8, 1
;   %17 = icmp samesign ugt i64 %16, %15
;   %18 = sub nuw nsw i64 %15, %16
;   %19 = getelementptr i32, ptr %14, i64 %18
;   br i1 %17, label %add, label %read
;
; read:                                             ; preds = %prologue
;   %value = load i32, ptr %19, align 4
;   br label %add
;
; add:                                              ; preds = %read, %prologue
;   %other = phi i32 [ 0, %prologue ], [ %value, %read ]
;   store i64 %16, ptr %12, align 8
;   store i32 %other, ptr %10, align 4
;   ret i32 2
; }
; define internal i1 @scan.thread.3.decide(ptr %io, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7, i64 %8) local_unnamed_addr #0 {
; prologue3:
;   %more = icmp samesign ult i64 %8, 32
;   ret i1 %more
; }
; define internal i32 @scan.thread.3.then.fast(ptr %io, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7, i64 %8) local_unnamed_addr #0 {
; prologue:
;   %9 = mul i64 %6, 4
;   %10 = getelementptr inbounds i8, ptr %4, i64 %9
;   %11 = mul i64 %5, 8
;   %12 = getelementptr inbounds i8, ptr %4, i64 %11
;   %13 = getelementptr inbounds i8, ptr %0, i64 40
;   %14 = load ptr, ptr %13, align 8, !invariant.load !0
;   %15 = zext i32 %1 to i64
;   %16 = shl nuw nsw i64 %8, 1
;   %17 = sub nuw nsw i64 %15, %16
;   %18 = getelementptr i32, ptr %14, i64 %17
;   %value = load i32, ptr %18, align 4
;   store i64 %16, ptr %12, align 8
;   store i32 %value, ptr %10, align 4
;   ret i32 2
; }
