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
;   br label %prologue
;
; prologue:                                         ; preds = %prologue1
;   store float %value, ptr %5, align 4
;   ret void
; }
;
; ; Function Attrs: mustprogress nofree nosync nounwind willreturn
; define internal void @fill.thread.together(ptr writeonly captures(none) %out, float %value, ptr %0, i32 %1, i32 %2, i32 %3) local_unnamed_addr #0 {
; together:
;   %4 = alloca ptr, align 8
;   br label %prologue1.together
;
; prologue1.together:                               ; preds = %together
;   %5 = zext i32 %1 to i64
;   %6 = getelementptr float, ptr %out, i64 %5
;   store ptr %6, ptr %4, align 8
;   br label %prologue.together
;
; prologue.together:                                ; preds = %prologue1.together
;   %7 = load ptr, ptr %4, align 8
;   %8 = insertelement <8 x float> poison, float %value, i32 0
;   %9 = shufflevector <8 x float> %8, <8 x float> poison, <8 x i32> zeroinitializer
;   store <8 x float> %9, ptr %7, align 4
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
;   %groups = and i32 %3, -8
;   br label %z
;
; z:                                                ; preds = %33, %entry
;   %z1 = phi i32 [ 0, %entry ], [ %34, %33 ]
;   br label %y
;
; y:                                                ; preds = %after5, %z
;   %y2 = phi i32 [ 0, %z ], [ %26, %after5 ]
;   %12 = zext i32 %z1 to i64
;   %13 = zext i32 %5 to i64
;   %14 = mul i64 %12, %13
;   %15 = zext i32 %y2 to i64
;   %16 = add i64 %14, %15
;   %17 = zext i32 %3 to i64
;   %18 = mul i64 %16, %17
;   %19 = icmp ult i32 0, %groups
;   br i1 %19, label %enter, label %after
;
; enter:                                            ; preds = %y
;   br label %x
;
; after:                                            ; preds = %25, %y
;   %20 = icmp ult i32 %groups, %3
;   br i1 %20, label %enter4, label %after5
;
; x:                                                ; preds = %x, %enter
;   %x3 = phi i32 [ 0, %enter ], [ %23, %x ]
;   %21 = zext i32 %x3 to i64
;   %22 = add i64 %18, %21
;   call void @fill.thread.together(ptr %9, float %11, ptr %0, i32 %x3, i32 %y2, i32 %z1)
;   %23 = add nuw i32 %x3, 8
;   %24 = icmp ult i32 %23, %groups
;   br i1 %24, label %x, label %25
;
; 25:                                               ; preds = %x
;   br label %after
;
; enter4:                                           ; preds = %after
;   br label %x6
;
; after5:                                           ; preds = %32, %after
;   %26 = add nuw i32 %y2, 1
;   %27 = icmp ult i32 %26, %5
;   br i1 %27, label %y, label %33
;
; x6:                                               ; preds = %x6, %enter4
;   %x7 = phi i32 [ %groups, %enter4 ], [ %30, %x6 ]
;   %28 = zext i32 %x7 to i64
;   %29 = add i64 %18, %28
;   call void @fill.thread(ptr %9, float %11, ptr %0, i32 %x7, i32 %y2, i32 %z1)
;   %30 = add nuw i32 %x7, 1
;   %31 = icmp ult i32 %30, %3
;   br i1 %31, label %x6, label %32
;
; 32:                                               ; preds = %x6
;   br label %after5
;
; 33:                                               ; preds = %after5
;   %34 = add nuw i32 %z1, 1
;   %35 = icmp ult i32 %34, %7
;   br i1 %35, label %z, label %36
;
; 36:                                               ; preds = %33
;   ret void
; }
;
; attributes #0 = { mustprogress nofree nosync nounwind willreturn "probe-stack"="inline-asm" }
; attributes #1 = { nounwind "probe-stack"="inline-asm" }
;
; !0 = !{}
