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
; prologue:
;   %4 = zext i32 %1 to i64
;   %5 = getelementptr float, ptr %out, i64 %4
;   br label %6
;
; 6:                                                ; preds = %prologue
;   store float %value, ptr %5, align 4
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
; z:                                                ; preds = %26, %entry
;   %z1 = phi i32 [ 0, %entry ], [ %27, %26 ]
;   br label %y
;
; y:                                                ; preds = %23, %z
;   %y2 = phi i32 [ 0, %z ], [ %24, %23 ]
;   %12 = zext i32 %z1 to i64
;   %13 = zext i32 %5 to i64
;   %14 = mul i64 %12, %13
;   %15 = zext i32 %y2 to i64
;   %16 = add i64 %14, %15
;   %17 = zext i32 %3 to i64
;   %18 = mul i64 %16, %17
;   br label %x
;
; x:                                                ; preds = %x, %y
;   %x3 = phi i32 [ 0, %y ], [ %21, %x ]
;   %19 = zext i32 %x3 to i64
;   %20 = add i64 %18, %19
;   call void @fill.thread(ptr %9, float %11, ptr %0, i32 %x3, i32 %y2, i32 %z1)
;   %21 = add nuw i32 %x3, 1
;   %22 = icmp ult i32 %21, %3
;   br i1 %22, label %x, label %23
;
; 23:                                               ; preds = %x
;   %24 = add nuw i32 %y2, 1
;   %25 = icmp ult i32 %24, %5
;   br i1 %25, label %y, label %26
;
; 26:                                               ; preds = %23
;   %27 = add nuw i32 %z1, 1
;   %28 = icmp ult i32 %27, %7
;   br i1 %28, label %z, label %29
;
; 29:                                               ; preds = %26
;   ret void
; }
;
; attributes #0 = { mustprogress nofree nosync nounwind willreturn "probe-stack"="inline-asm" }
; attributes #1 = { nounwind "probe-stack"="inline-asm" }
;
; !0 = !{}
