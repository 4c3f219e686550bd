; A loop in steps of the block's size has equally many iterations in all threads, unless its end is between two
; multiples: the first and the last thread decide, once for the block. In that version of the region, the number is that
; of the first thread. It is not kept across the barrier, as the first thread divides once for all regions.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | grep -v '^;' | sed -n '/^define.*@sums.thread.1.count.*[sd](/,/^}/p'

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_dim_x()
declare void @__offload_sync_threads()
declare i64 @llvm.usub.sat.i64(i64, i64)

define ptx_kernel void @sums(ptr %a, ptr %out, i64 %n) {
  %x = call i32 @__offload_thread_id_x()
  %size = call i32 @__offload_block_dim_x()
  %i = zext i32 %x to i64
  %step = zext i32 %size to i64
  %left = call i64 @llvm.usub.sat.i64(i64 %n, i64 %i)
  %whole = udiv i64 %left, %step
  %rest = urem i64 %left, %step
  %has = icmp ne i64 %rest, 0
  %one = zext i1 %has to i64
  %count = add i64 %whole, %one
  %to = getelementptr float, ptr %out, i64 %i
  %some = icmp ne i64 %count, 0
  br i1 %some, label %loop, label %met

loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %sum = phi float [ 0.0, %0 ], [ %more, %loop ]
  %at = phi i64 [ %i, %0 ], [ %then, %loop ]
  %from = getelementptr float, ptr %a, i64 %at
  %value = load float, ptr %from, align 4
  %more = fadd float %sum, %value
  %then = add i64 %at, %step
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %store

store:
  store float %more, ptr %to, align 4
  br label %met

met:
  call void @__offload_sync_threads()
  br i1 %some, label %second, label %leave

second:
  %j = phi i64 [ 0, %met ], [ %following, %second ]
  %there = phi float [ 0.0, %met ], [ %both, %second ]
  %number = uitofp i64 %j to float
  %both = fadd float %there, %number
  %following = add i64 %j, 1
  %go = icmp ult i64 %following, %count
  br i1 %go, label %second, label %end

end:
  store float %both, ptr %to, align 4
  br label %leave

leave:
  ret void
}
;;; stdout
; define internal i32 @sums.thread.1.counted(ptr readonly %a, ptr writeonly %out, i64 %n, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7) local_unnamed_addr #1 {
; prologue:
;   %8 = zext i32 %1 to i64
;   %9 = getelementptr float, ptr %out, i64 %8
;   %10 = getelementptr i8, ptr %0, i64 12
;   %11 = load i32, ptr %10, align 4, !invariant.load !0
;   %12 = zext i32 %11 to i64
;   %13 = udiv i64 %n, %12
;   %14 = urem i64 %n, %12
;   %15 = icmp ne i64 %14, 0
;   %16 = zext i1 %15 to i64
;   %17 = add i64 %13, %16
;   %18 = icmp eq i64 %17, 0
;   br i1 %18, label %leave, label %second
;
; second:                                           ; preds = %prologue, %second
;   %j = phi i64 [ %following, %second ], [ 0, %prologue ]
;   %there = phi float [ %both, %second ], [ 0.000000e+00, %prologue ]
;   %number = uitofp i64 %j to float
;   %both = fadd float %there, %number
;   %following = add nuw i64 %j, 1
;   %go = icmp ult i64 %following, %17
;   br i1 %go, label %second, label %end
;
; end:                                              ; preds = %second
;   %both.lcssa = phi float [ %both, %second ]
;   store float %both.lcssa, ptr %9, align 4
;   br label %leave
;
; leave:                                            ; preds = %end, %prologue
;   ret i32 0
; }
; define internal i1 @sums.thread.1.counts(ptr %0, ptr %1, i64 %2, ptr %3, i32 %4, i32 %5, i32 %6, ptr %7, i64 %8, i64 %9, i32 %10) #2 {
; entry:
;   %11 = getelementptr inbounds i8, ptr %3, i64 12
;   %12 = load i32, ptr %11, align 4, !invariant.load !0
;   %13 = sub i32 %12, 1
;   %14 = zext i32 %12 to i64
;   %15 = udiv i64 %2, %14
;   %16 = urem i64 %2, %14
;   %17 = icmp ne i64 %16, 0
;   %18 = zext i1 %17 to i64
;   %19 = add i64 %15, %18
;   %20 = zext i32 %13 to i64
;   %21 = tail call i64 @llvm.usub.sat.i64(i64 %2, i64 %20)
;   %22 = udiv i64 %21, %14
;   %23 = urem i64 %21, %14
;   %24 = icmp ne i64 %23, 0
;   %25 = zext i1 %24 to i64
;   %26 = add i64 %22, %25
;   %27 = icmp eq i64 %19, %26
;   ret i1 %27
; }
