; Threads that pass the guard `i < n` run in a separate loop. The extent is the number of these threads in a row.
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
; define internal i1 @guarded.thread.whole(ptr %0, i32 %1, ptr %2, i32 %3, i32 %4, i32 %5) #1 {
; entry:
;   %6 = getelementptr inbounds i8, ptr %2, i64 12
;   %7 = load i32, ptr %6, align 4, !invariant.load !0
;   %8 = getelementptr inbounds i8, ptr %2, i64 16
;   %9 = load i32, ptr %8, align 4, !invariant.load !0
;   %10 = getelementptr inbounds i8, ptr %2, i64 20
;   %11 = load i32, ptr %10, align 4, !invariant.load !0
;   %12 = sub i32 %7, 1
;   %13 = icmp ult i32 %12, %1
;   ret i1 %13
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
;   %12 = or i32 %5, %7
;   %several = icmp ugt i32 %12, 1
;   br i1 %several, label %ask, label %asked
;
; ask:                                              ; preds = %entry
;   %13 = call i1 @guarded.thread.whole(ptr %9, i32 %11, ptr %0, i32 0, i32 0, i32 0)
;   br label %asked
;
; asked:                                            ; preds = %ask, %entry
;   %all = phi i1 [ %13, %ask ], [ false, %entry ]
;   br label %z
;
; z:                                                ; preds = %47, %asked
;   %z1 = phi i32 [ 0, %asked ], [ %48, %47 ]
;   br label %y
;
; y:                                                ; preds = %after13, %z
;   %y2 = phi i32 [ 0, %z ], [ %40, %after13 ]
;   %14 = zext i32 %z1 to i64
;   %15 = zext i32 %5 to i64
;   %16 = mul i64 %14, %15
;   %17 = zext i32 %y2 to i64
;   %18 = add i64 %16, %17
;   %19 = zext i32 %3 to i64
;   %20 = mul i64 %18, %19
;   %21 = zext i32 %3 to i64
;   %22 = shl i64 %21, 32
;   br i1 %all, label %asked4, label %ask3
;
; ask3:                                             ; preds = %y
;   %23 = call i64 @guarded.thread.range(ptr %9, i32 %11, ptr %0, i32 0, i32 %y2, i32 %z1)
;   br label %asked4
;
; asked4:                                           ; preds = %ask3, %y
;   %range = phi i64 [ %22, %y ], [ %23, %ask3 ]
;   %24 = lshr i64 %range, 32
;   %25 = trunc i64 %range to i32
;   %26 = trunc i64 %24 to i32
;   br i1 %all, label %after, label %enter
;
; enter:                                            ; preds = %asked4
;   %27 = icmp uge i32 0, %25
;   br i1 %27, label %after6, label %enter5
;
; after:                                            ; preds = %after6, %asked4
;   %28 = icmp uge i32 %25, %26
;   br i1 %28, label %after9, label %enter8
;
; enter5:                                           ; preds = %enter
;   br label %x
;
; after6:                                           ; preds = %33, %enter
;   br label %after
;
; x:                                                ; preds = %x, %enter5
;   %x7 = phi i32 [ 0, %enter5 ], [ %31, %x ]
;   %29 = zext i32 %x7 to i64
;   %30 = add i64 %20, %29
;   call void @guarded.thread(ptr %9, i32 %11, ptr %0, i32 %x7, i32 %y2, i32 %z1)
;   %31 = add nuw i32 %x7, 1
;   %32 = icmp ult i32 %31, %25
;   br i1 %32, label %x, label %33
;
; 33:                                               ; preds = %x
;   br label %after6
;
; enter8:                                           ; preds = %after
;   br label %x10
;
; after9:                                           ; preds = %38, %after
;   br i1 %all, label %after13, label %enter12
;
; x10:                                              ; preds = %x10, %enter8
;   %x11 = phi i32 [ %25, %enter8 ], [ %36, %x10 ]
;   %34 = zext i32 %x11 to i64
;   %35 = add i64 %20, %34
;   call void @guarded.thread.fast(ptr %9, i32 %11, ptr %0, i32 %x11, i32 %y2, i32 %z1), !llvm.access.group !1
;   %36 = add nuw i32 %x11, 1
;   %37 = icmp ult i32 %36, %26
;   br i1 %37, label %x10, label %38, !llvm.loop !2
;
; 38:                                               ; preds = %x10
;   br label %after9
;
; enter12:                                          ; preds = %after9
;   %39 = icmp uge i32 %26, %3
;   br i1 %39, label %after15, label %enter14
;
; after13:                                          ; preds = %after15, %after9
;   %40 = add nuw i32 %y2, 1
;   %41 = icmp ult i32 %40, %5
;   br i1 %41, label %y, label %47
;
; enter14:                                          ; preds = %enter12
;   br label %x16
;
; after15:                                          ; preds = %46, %enter12
;   br label %after13
;
; x16:                                              ; preds = %x16, %enter14
;   %x17 = phi i32 [ %26, %enter14 ], [ %44, %x16 ]
;   %42 = zext i32 %x17 to i64
;   %43 = add i64 %20, %42
;   call void @guarded.thread(ptr %9, i32 %11, ptr %0, i32 %x17, i32 %y2, i32 %z1)
;   %44 = add nuw i32 %x17, 1
;   %45 = icmp ult i32 %44, %3
;   br i1 %45, label %x16, label %46
;
; 46:                                               ; preds = %x16
;   br label %after15
;
; 47:                                               ; preds = %after13
;   %48 = add nuw i32 %z1, 1
;   %49 = icmp ult i32 %48, %7
;   br i1 %49, label %z, label %50
;
; 50:                                               ; preds = %47
;   ret void
; }
;
; attributes #0 = { mustprogress nofree nosync nounwind willreturn "probe-stack"="inline-asm" }
; attributes #1 = { "probe-stack"="inline-asm" }
; attributes #2 = { nounwind "probe-stack"="inline-asm" }
;
; !0 = !{}
; !1 = distinct !{}
; !2 = distinct !{!2, !3}
; !3 = !{!"llvm.loop.parallel_accesses", !1}
