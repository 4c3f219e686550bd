; Threads that pass the guard `i < n` run in a loop of their own: the extent says how many of a row they are.
; RUN: offloadc %s -O1 --emit=flavor=- --offload-arch=cpu | sed 's/__offload_cpu\.[0-9a-f]*/__offload_cpu.HASH/'

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @guarded(ptr %out, i32 %n) {
  %x = call i32 @__offload_thread_id_x()
  %in = icmp ult i32 %x, %n
  br i1 %in, label %write, label %leave

write:
  %wide = zext i32 %x to i64
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %x, ptr %to
  br label %leave

leave:
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; @offload.shared_bytes = private constant [4 x i8] zeroinitializer, section ".offload.cpu.shared_bytes", align 4
; @llvm.compiler.used = appending global [1 x ptr] [ptr @offload.shared_bytes], section "llvm.metadata"
;
; ; Function Attrs: mustprogress nofree nosync nounwind willreturn
; define internal void @guarded.thread(ptr writeonly captures(none) %out, i32 %n, ptr %0, i32 %1, i32 %2, i32 %3) local_unnamed_addr #0 {
; prologue1:
;   %4 = icmp ult i32 %1, %n
;   %5 = zext i32 %1 to i64
;   %6 = getelementptr i32, ptr %out, i64 %5
;   br label %prologue
;
; prologue:                                         ; preds = %prologue1
;   br i1 %4, label %write, label %leave
;
; write:                                            ; preds = %prologue
;   store i32 %1, ptr %6, align 4
;   br label %leave
;
; leave:                                            ; preds = %write, %prologue
;   ret void
; }
;
; ; Function Attrs: mustprogress nofree nosync nounwind willreturn
; define internal void @guarded.thread.fast(ptr writeonly captures(none) %out, i32 %n, ptr %0, i32 %1, i32 %2, i32 %3) local_unnamed_addr #0 {
; prologue1:
;   %4 = icmp ult i32 %1, %n
;   %5 = zext i32 %1 to i64
;   %6 = getelementptr i32, ptr %out, i64 %5
;   br label %prologue
;
; prologue:                                         ; preds = %prologue1
;   br i1 true, label %write, label %leave
;
; write:                                            ; preds = %prologue
;   store i32 %1, ptr %6, align 4
;   br label %leave
;
; leave:                                            ; preds = %write, %prologue
;   ret void
; }
;
; define internal i32 @guarded.thread.extent(ptr %0, i32 %1, ptr %2, i32 %3, i32 %4, i32 %5) #1 {
; entry:
;   %6 = getelementptr inbounds i8, ptr %2, i64 12
;   %7 = load i32, ptr %6, align 4, !invariant.load !0
;   %last = sub i32 %7, 1
;   %8 = icmp ult i32 0, %1
;   %9 = icmp ult i32 %last, %1
;   %10 = zext i32 0 to i64
;   %11 = zext i32 %last to i64
;   %12 = getelementptr i32, ptr %0, i64 %10
;   %13 = getelementptr i32, ptr %0, i64 %11
;   %14 = sub i32 %last, 0
;   %15 = icmp eq i32 %14, %last
;   %16 = icmp ule i32 0, %last
;   %17 = icmp ult i32 0, %1
;   %18 = sub i32 %1, 0
;   %19 = icmp ugt i32 %18, %last
;   %20 = add i32 %18, 0
;   %21 = select i1 %19, i32 %7, i32 %20
;   %22 = and i1 %15, %16
;   %23 = and i1 %22, %17
;   %24 = select i1 %23, i32 %21, i32 0
;   %25 = icmp ult i32 %24, %7
;   %26 = select i1 %25, i32 %24, i32 %7
;   ret i32 %26
; }
;
; ; Function Attrs: nounwind
; define hidden void @__offload_cpu.HASH.guarded(ptr noalias noundef nonnull readonly align 8 %0, ptr noalias noundef nonnull readonly align 8 %1) #2 {
; entry:
;   %2 = getelementptr inbounds i8, ptr %0, i64 12
;   %3 = load i32, ptr %2, align 4, !invariant.load !0
;   %4 = getelementptr inbounds i8, ptr %0, i64 16
;   %5 = load i32, ptr %4, align 4, !invariant.load !0
;   %6 = getelementptr inbounds i8, ptr %0, i64 20
;   %7 = load i32, ptr %6, align 4, !invariant.load !0
;   %8 = getelementptr inbounds i8, ptr %1, i64 0
;   %9 = load ptr, ptr %8, align 8
;   %10 = getelementptr inbounds i8, ptr %1, i64 8
;   %11 = load i32, ptr %10, align 4
;   br label %z
;
; z:                                                ; preds = %23, %entry
;   %z1 = phi i32 [ 0, %entry ], [ %24, %23 ]
;   br label %y
;
; y:                                                ; preds = %after5, %z
;   %y2 = phi i32 [ 0, %z ], [ %18, %after5 ]
;   %12 = call i32 @guarded.thread.extent(ptr %9, i32 %11, ptr %0, i32 0, i32 %y2, i32 %z1)
;   %13 = icmp ult i32 0, %12
;   br i1 %13, label %enter, label %after
;
; enter:                                            ; preds = %y
;   br label %x
;
; after:                                            ; preds = %17, %y
;   %14 = icmp ult i32 %12, %3
;   br i1 %14, label %enter4, label %after5
;
; x:                                                ; preds = %x, %enter
;   %x3 = phi i32 [ 0, %enter ], [ %15, %x ]
;   call void @guarded.thread.fast(ptr %9, i32 %11, ptr %0, i32 %x3, i32 %y2, i32 %z1)
;   %15 = add nuw i32 %x3, 1
;   %16 = icmp ult i32 %15, %12
;   br i1 %16, label %x, label %17
;
; 17:                                               ; preds = %x
;   br label %after
;
; enter4:                                           ; preds = %after
;   br label %x6
;
; after5:                                           ; preds = %22, %after
;   %18 = add nuw i32 %y2, 1
;   %19 = icmp ult i32 %18, %5
;   br i1 %19, label %y, label %23
;
; x6:                                               ; preds = %x6, %enter4
;   %x7 = phi i32 [ %12, %enter4 ], [ %20, %x6 ]
;   call void @guarded.thread(ptr %9, i32 %11, ptr %0, i32 %x7, i32 %y2, i32 %z1)
;   %20 = add nuw i32 %x7, 1
;   %21 = icmp ult i32 %20, %3
;   br i1 %21, label %x6, label %22
;
; 22:                                               ; preds = %x6
;   br label %after5
;
; 23:                                               ; preds = %after5
;   %24 = add nuw i32 %z1, 1
;   %25 = icmp ult i32 %24, %7
;   br i1 %25, label %z, label %26
;
; 26:                                               ; preds = %23
;   ret void
; }
;
; attributes #0 = { mustprogress nofree nosync nounwind willreturn "probe-stack"="inline-asm" }
; attributes #1 = { "probe-stack"="inline-asm" }
; attributes #2 = { nounwind "probe-stack"="inline-asm" }
;
; !0 = !{}
