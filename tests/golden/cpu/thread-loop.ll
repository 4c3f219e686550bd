; A kernel without barriers becomes an entry that loops over the block's threads, x fastest.
; RUN: offloadc %s -O1 --emit=flavor=- --offload-arch=cpu | sed 's/__offload_cpu\.[0-9a-f]*/__offload_cpu.HASH/'

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @fill(ptr %out, float %value) {
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %to = getelementptr float, ptr %out, i64 %wide
  store float %value, ptr %to
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
; define internal void @fill.thread(ptr writeonly captures(none) %out, float %value, ptr %0, i32 %1, i32 %2, i32 %3) local_unnamed_addr #0 {
; prologue1:
;   %4 = zext i32 %1 to i64
;   %5 = getelementptr float, ptr %out, i64 %4
;   store float %value, ptr %5, align 4
;   ret void
; }
;
; ; Function Attrs: mustprogress nofree nosync nounwind willreturn
; define internal void @fill.thread.vector(ptr writeonly captures(none) %out, float %value, ptr %0, i32 %1, i32 %2, i32 %3) local_unnamed_addr #0 {
; vector:
;   br label %prologue1.vector
;
; prologue1.vector:                                 ; preds = %vector
;   %4 = zext i32 %1 to i64
;   %5 = getelementptr float, ptr %out, i64 %4
;   %6 = insertelement <8 x float> poison, float %value, i32 0
;   %7 = shufflevector <8 x float> %6, <8 x float> poison, <8 x i32> zeroinitializer
;   store <8 x float> %7, ptr %5, align 4
;   ret void
; }
;
; ; Function Attrs: nounwind
; define hidden void @__offload_cpu.HASH.fill(ptr noalias noundef nonnull readonly align 8 %0, ptr noalias noundef nonnull readonly align 8 %1) #1 {
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
;   %11 = load float, ptr %10, align 4
;   br label %z
;
; z:                                                ; preds = %35, %entry
;   %z1 = phi i32 [ 0, %entry ], [ %36, %35 ]
;   br label %y
;
; y:                                                ; preds = %after5, %z
;   %y2 = phi i32 [ 0, %z ], [ %28, %after5 ]
;   %12 = zext i32 %z1 to i64
;   %13 = zext i32 %5 to i64
;   %14 = mul i64 %12, %13
;   %15 = zext i32 %y2 to i64
;   %16 = add i64 %14, %15
;   %17 = zext i32 %3 to i64
;   %18 = mul i64 %16, %17
;   %19 = sub i32 %3, 0
;   %groups = and i32 %19, -8
;   %20 = add i32 0, %groups
;   %21 = icmp uge i32 0, %20
;   br i1 %21, label %after, label %enter
;
; enter:                                            ; preds = %y
;   br label %x
;
; after:                                            ; preds = %27, %y
;   %22 = icmp uge i32 %20, %3
;   br i1 %22, label %after5, label %enter4
;
; x:                                                ; preds = %x, %enter
;   %x3 = phi i32 [ 0, %enter ], [ %25, %x ]
;   %23 = zext i32 %x3 to i64
;   %24 = add i64 %18, %23
;   call void @fill.thread.vector(ptr %9, float %11, ptr %0, i32 %x3, i32 %y2, i32 %z1)
;   %25 = add nuw i32 %x3, 8
;   %26 = icmp ult i32 %25, %20
;   br i1 %26, label %x, label %27
;
; 27:                                               ; preds = %x
;   br label %after
;
; enter4:                                           ; preds = %after
;   br label %x6
;
; after5:                                           ; preds = %34, %after
;   %28 = add nuw i32 %y2, 1
;   %29 = icmp ult i32 %28, %5
;   br i1 %29, label %y, label %35
;
; x6:                                               ; preds = %x6, %enter4
;   %x7 = phi i32 [ %20, %enter4 ], [ %32, %x6 ]
;   %30 = zext i32 %x7 to i64
;   %31 = add i64 %18, %30
;   call void @fill.thread(ptr %9, float %11, ptr %0, i32 %x7, i32 %y2, i32 %z1)
;   %32 = add nuw i32 %x7, 1
;   %33 = icmp ult i32 %32, %3
;   br i1 %33, label %x6, label %34
;
; 34:                                               ; preds = %x6
;   br label %after5
;
; 35:                                               ; preds = %after5
;   %36 = add nuw i32 %z1, 1
;   %37 = icmp ult i32 %36, %7
;   br i1 %37, label %z, label %38
;
; 38:                                               ; preds = %35
;   ret void
; }
;
; attributes #0 = { mustprogress nofree nosync nounwind willreturn "probe-stack"="inline-asm" }
; attributes #1 = { nounwind "probe-stack"="inline-asm" }
;
; !0 = !{}
