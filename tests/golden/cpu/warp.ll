; A vote in a loop splits its kernel into three regions: up to the vote, from there to the loop's latch, and from the
; latch on. The vote of a lane and its result are in the lane's slots, with the counter that lives across both.
; RUN: offloadc %s -O1 --emit=flavor=- --offload-arch=cpu | sed -n '/^define.*@count.thread\.[0-9](/,/^}/p'

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i1 @__offload_any(i1)

define ptx_kernel void @count(ptr %out) {
entry:
  %x = call i32 @__offload_thread_id_x()
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = icmp eq i32 %i, %x
  %any = call i1 @__offload_any(i1 %at)
  %next = add i32 %i, 1
  br i1 %any, label %loop, label %done

done:
  %place = getelementptr i32, ptr %out, i32 %x
  store i32 %next, ptr %place
  ret void
}
;;; stdout
; define internal i32 @count.thread.0(ptr writeonly %out, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7) local_unnamed_addr #1 {
; prologue:
;   %8 = mul i64 %6, 4
;   %9 = getelementptr inbounds i8, ptr %4, i64 %8
;   %10 = mul i64 %5, 4
;   %11 = getelementptr inbounds i8, ptr %4, i64 %10
;   %12 = getelementptr inbounds i8, ptr %11, i64 %8
;   %13 = icmp eq i32 0, %1
;   %14 = zext i1 %13 to i32
;   store i32 %14, ptr %12, align 4
;   store i32 0, ptr %9, align 4
;   ret i32 1
; }
; define internal i32 @count.thread.1(ptr writeonly %out, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7) local_unnamed_addr #1 {
; prologue:
;   %8 = mul i64 %6, 4
;   %9 = getelementptr inbounds i8, ptr %4, i64 %8
;   %10 = mul i64 %5, 16
;   %11 = mul i64 %6, 8
;   %12 = getelementptr inbounds i8, ptr %4, i64 %10
;   %13 = getelementptr inbounds i8, ptr %12, i64 %11
;   %14 = sext i32 %1 to i64
;   %15 = getelementptr i32, ptr %out, i64 %14
;   %16 = load i32, ptr %9, align 4
;   %17 = load i64, ptr %13, align 8
;   %18 = trunc i64 %17 to i1
;   %next = add i32 %16, 1
;   br i1 %18, label %loop.latch, label %done
;
; common.ret:                                       ; preds = %done, %loop.latch
;   %common.ret.op = phi i32 [ 2, %loop.latch ], [ 0, %done ]
;   ret i32 %common.ret.op
;
; loop.latch:                                       ; preds = %prologue
;   store i32 %next, ptr %9, align 4
;   br label %common.ret
;
; done:                                             ; preds = %prologue
;   store i32 %next, ptr %15, align 4
;   br label %common.ret
; }
; define internal i32 @count.thread.2(ptr writeonly %out, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7) local_unnamed_addr #1 {
; prologue:
;   %8 = mul i64 %6, 4
;   %9 = getelementptr inbounds i8, ptr %4, i64 %8
;   %10 = mul i64 %5, 4
;   %11 = getelementptr inbounds i8, ptr %4, i64 %10
;   %12 = getelementptr inbounds i8, ptr %11, i64 %8
;   %13 = load i32, ptr %9, align 4
;   %at = icmp eq i32 %13, %1
;   %14 = zext i1 %at to i32
;   store i32 %14, ptr %12, align 4
;   ret i32 1
; }
