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
;   br i1 %4, label %write, label %leave
;
; write:                                            ; preds = %prologue1
;   store i32 %1, ptr %6, align 4
;   br label %leave
;
; leave:                                            ; preds = %write, %prologue1
;   ret void
; }
;
; ; Function Attrs: mustprogress nofree nosync nounwind willreturn
; define internal void @guarded.thread.fast(ptr writeonly captures(none) %out, i32 %n, ptr %0, i32 %1, i32 %2, i32 %3) local_unnamed_addr #0 {
; prologue1:
;   %4 = zext i32 %1 to i64
;   %5 = getelementptr i32, ptr %out, i64 %4
;   store i32 %1, ptr %5, align 4
;   ret void
; }
;
; define internal i64 @guarded.thread.range(ptr %0, i32 %1, ptr %2, i32 %3, i32 %4, i32 %5) #1 {
; entry:
;   %6 = getelementptr inbounds i8, ptr %2, i64 12
;   %7 = load i32, ptr %6, align 4, !invariant.load !0
;   %last = sub i32 %7, 1
;   %8 = zext i32 %last to i64
;   %9 = icmp ne i32 %last, 0
;   %10 = icmp ult i32 %last, %1
;   %11 = and i1 %9, %10
;   br i1 %11, label %whole, label %part
;
; common.ret:                                       ; preds = %part, %whole
;   %common.ret.op = phi i64 [ %13, %whole ], [ %25, %part ]
;   ret i64 %common.ret.op
;
; whole:                                            ; preds = %entry
;   %12 = zext i32 %7 to i64
;   %13 = shl i64 %12, 32
;   br label %common.ret
;
; part:                                             ; preds = %entry
;   %14 = icmp ult i32 0, %1
;   %15 = select i1 %10, i32 %7, i32 %1
;   %16 = select i1 %14, i32 %15, i32 0
;   %17 = select i1 %9, i32 %16, i32 0
;   %18 = icmp ult i32 %17, %7
;   %19 = select i1 %18, i32 %17, i32 %7
;   %20 = icmp ult i32 0, %19
;   %21 = select i1 %20, i32 0, i32 %19
;   %22 = zext i32 %19 to i64
;   %23 = shl i64 %22, 32
;   %24 = zext i32 %21 to i64
;   %25 = or i64 %23, %24
;   br label %common.ret
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
; z:                                                ; preds = %43, %entry
;   %z1 = phi i32 [ 0, %entry ], [ %44, %43 ]
;   br label %y
;
; y:                                                ; preds = %after9, %z
;   %y2 = phi i32 [ 0, %z ], [ %36, %after9 ]
;   %12 = zext i32 %z1 to i64
;   %13 = zext i32 %5 to i64
;   %14 = mul i64 %12, %13
;   %15 = zext i32 %y2 to i64
;   %16 = add i64 %14, %15
;   %17 = zext i32 %3 to i64
;   %18 = mul i64 %16, %17
;   %19 = call i64 @guarded.thread.range(ptr %9, i32 %11, ptr %0, i32 0, i32 %y2, i32 %z1)
;   %20 = lshr i64 %19, 32
;   %21 = trunc i64 %19 to i32
;   %22 = trunc i64 %20 to i32
;   %23 = icmp ult i32 0, %21
;   br i1 %23, label %enter, label %after
;
; enter:                                            ; preds = %y
;   br label %x
;
; after:                                            ; preds = %29, %y
;   %24 = icmp ult i32 %21, %22
;   br i1 %24, label %enter4, label %after5
;
; x:                                                ; preds = %x, %enter
;   %x3 = phi i32 [ 0, %enter ], [ %27, %x ]
;   %25 = zext i32 %x3 to i64
;   %26 = add i64 %18, %25
;   call void @guarded.thread(ptr %9, i32 %11, ptr %0, i32 %x3, i32 %y2, i32 %z1)
;   %27 = add nuw i32 %x3, 1
;   %28 = icmp ult i32 %27, %21
;   br i1 %28, label %x, label %29
;
; 29:                                               ; preds = %x
;   br label %after
;
; enter4:                                           ; preds = %after
;   br label %x6
;
; after5:                                           ; preds = %35, %after
;   %30 = icmp ult i32 %22, %3
;   br i1 %30, label %enter8, label %after9
;
; x6:                                               ; preds = %x6, %enter4
;   %x7 = phi i32 [ %21, %enter4 ], [ %33, %x6 ]
;   %31 = zext i32 %x7 to i64
;   %32 = add i64 %18, %31
;   call void @guarded.thread.fast(ptr %9, i32 %11, ptr %0, i32 %x7, i32 %y2, i32 %z1)
;   %33 = add nuw i32 %x7, 1
;   %34 = icmp ult i32 %33, %22
;   br i1 %34, label %x6, label %35
;
; 35:                                               ; preds = %x6
;   br label %after5
;
; enter8:                                           ; preds = %after5
;   br label %x10
;
; after9:                                           ; preds = %42, %after5
;   %36 = add nuw i32 %y2, 1
;   %37 = icmp ult i32 %36, %5
;   br i1 %37, label %y, label %43
;
; x10:                                              ; preds = %x10, %enter8
;   %x11 = phi i32 [ %22, %enter8 ], [ %40, %x10 ]
;   %38 = zext i32 %x11 to i64
;   %39 = add i64 %18, %38
;   call void @guarded.thread(ptr %9, i32 %11, ptr %0, i32 %x11, i32 %y2, i32 %z1)
;   %40 = add nuw i32 %x11, 1
;   %41 = icmp ult i32 %40, %3
;   br i1 %41, label %x10, label %42
;
; 42:                                               ; preds = %x10
;   br label %after9
;
; 43:                                               ; preds = %after9
;   %44 = add nuw i32 %z1, 1
;   %45 = icmp ult i32 %44, %7
;   br i1 %45, label %z, label %46
;
; 46:                                               ; preds = %43
;   ret void
; }
;
; attributes #0 = { mustprogress nofree nosync nounwind willreturn "probe-stack"="inline-asm" }
; attributes #1 = { "probe-stack"="inline-asm" }
; attributes #2 = { nounwind "probe-stack"="inline-asm" }
;
; !0 = !{}
