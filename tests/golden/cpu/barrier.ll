; A kernel with a barrier is cut into two regions; what is needed behind the barrier stands in the thread's slot, and
; what position and arguments decide is computed again.
; RUN: offloadc %s -O1 --emit=flavor=- --offload-arch=cpu | sed 's/__offload_cpu\.[0-9a-f]*/__offload_cpu.HASH/'

target triple = "x86_64-unknown-linux-gnu"

@tile = internal global [64 x i32] undef, section ".offload.shared"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define ptx_kernel void @exchange(ptr %io) {
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %place = getelementptr i32, ptr %io, i64 %wide
  %mine = load i32, ptr %place
  %own = getelementptr [64 x i32], ptr @tile, i64 0, i64 %wide
  store i32 %mine, ptr %own
  call void @__offload_sync_threads()
  %neighbour = xor i64 %wide, 1
  %other = getelementptr [64 x i32], ptr @tile, i64 0, i64 %neighbour
  %theirs = load i32, ptr %other
  %sum = add i32 %mine, %theirs
  store i32 %sum, ptr %place
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; @offload.shared_bytes = private constant [4 x i8] c"\00\01\00\00", section ".offload.cpu.shared_bytes", align 4
; @llvm.compiler.used = appending global [1 x ptr] [ptr @offload.shared_bytes], section "llvm.metadata"
;
; ; Function Attrs: mustprogress nounwind willreturn
; define internal i32 @exchange.thread.0(ptr %io, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7) local_unnamed_addr #0 {
; prologue1:
;   %8 = mul i64 %6, 4
;   %slot = getelementptr inbounds i8, ptr %4, i64 %8
;   %9 = getelementptr inbounds i8, ptr %0, i64 40
;   %10 = load ptr, ptr %9, align 8, !invariant.load !0
;   %11 = zext i32 %1 to i64
;   %12 = getelementptr i32, ptr %io, i64 %11
;   %13 = getelementptr i32, ptr %10, i64 %11
;   %mine = load i32, ptr %12, align 4
;   store i32 %mine, ptr %13, align 4
;   store i32 %mine, ptr %slot, align 4
;   ret i32 1
; }
;
; ; Function Attrs: mustprogress nounwind willreturn
; define internal i32 @exchange.thread.1(ptr %io, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7) local_unnamed_addr #0 {
; prologue1:
;   %8 = mul i64 %6, 4
;   %slot = getelementptr inbounds i8, ptr %4, i64 %8
;   %9 = load i32, ptr %slot, align 4
;   %10 = getelementptr inbounds i8, ptr %0, i64 40
;   %11 = load ptr, ptr %10, align 8, !invariant.load !0
;   %12 = zext i32 %1 to i64
;   %13 = getelementptr i32, ptr %io, i64 %12
;   %14 = xor i64 %12, 1
;   %15 = getelementptr i32, ptr %11, i64 %14
;   %theirs = load i32, ptr %15, align 4
;   %sum = add i32 %theirs, %9
;   store i32 %sum, ptr %13, align 4
;   ret i32 0
; }
;
; ; Function Attrs: mustprogress nounwind willreturn
; define internal <8 x i32> @exchange.thread.0.together(ptr %io, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7) local_unnamed_addr #0 {
; together:
;   %8 = mul i64 %6, 4
;   %9 = getelementptr inbounds i8, ptr %4, i64 %8
;   %10 = getelementptr inbounds i8, ptr %0, i64 40
;   %11 = load ptr, ptr %10, align 8, !invariant.load !0
;   %12 = zext i32 %1 to i64
;   %13 = getelementptr i32, ptr %io, i64 %12
;   %14 = getelementptr i32, ptr %11, i64 %12
;   %15 = load <8 x i32>, ptr %13, align 4
;   store <8 x i32> %15, ptr %14, align 4
;   store <8 x i32> %15, ptr %9, align 4
;   ret <8 x i32> splat (i32 1)
; }
;
; ; Function Attrs: mustprogress nounwind willreturn
; define internal <8 x i32> @exchange.thread.1.together(ptr %io, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7) local_unnamed_addr #0 {
; together:
;   %8 = mul i64 %6, 4
;   %9 = getelementptr inbounds i8, ptr %4, i64 %8
;   %10 = load <8 x i32>, ptr %9, align 4
;   %11 = getelementptr inbounds i8, ptr %0, i64 40
;   %12 = load ptr, ptr %11, align 8, !invariant.load !0
;   %13 = zext i32 %1 to i64
;   %14 = getelementptr i32, ptr %io, i64 %13
;   %15 = insertelement <8 x i64> poison, i64 %13, i32 0
;   %16 = shufflevector <8 x i64> %15, <8 x i64> poison, <8 x i32> zeroinitializer
;   %17 = add <8 x i64> %16, <i64 0, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7>
;   %18 = xor <8 x i64> %17, splat (i64 1)
;   %19 = extractelement <8 x i64> %18, i64 0
;   %20 = getelementptr i32, ptr %12, i64 %19
;   %21 = extractelement <8 x i64> %18, i64 1
;   %22 = getelementptr i32, ptr %12, i64 %21
;   %23 = extractelement <8 x i64> %18, i64 2
;   %24 = getelementptr i32, ptr %12, i64 %23
;   %25 = extractelement <8 x i64> %18, i64 3
;   %26 = getelementptr i32, ptr %12, i64 %25
;   %27 = extractelement <8 x i64> %18, i64 4
;   %28 = getelementptr i32, ptr %12, i64 %27
;   %29 = extractelement <8 x i64> %18, i64 5
;   %30 = getelementptr i32, ptr %12, i64 %29
;   %31 = extractelement <8 x i64> %18, i64 6
;   %32 = getelementptr i32, ptr %12, i64 %31
;   %33 = extractelement <8 x i64> %18, i64 7
;   %34 = getelementptr i32, ptr %12, i64 %33
;   %35 = load i32, ptr %20, align 4
;   %36 = load i32, ptr %22, align 4
;   %37 = load i32, ptr %24, align 4
;   %38 = load i32, ptr %26, align 4
;   %39 = load i32, ptr %28, align 4
;   %40 = load i32, ptr %30, align 4
;   %41 = load i32, ptr %32, align 4
;   %42 = load i32, ptr %34, align 4
;   %43 = insertelement <8 x i32> poison, i32 %35, i64 0
;   %44 = insertelement <8 x i32> %43, i32 %36, i64 1
;   %45 = insertelement <8 x i32> %44, i32 %37, i64 2
;   %46 = insertelement <8 x i32> %45, i32 %38, i64 3
;   %47 = insertelement <8 x i32> %46, i32 %39, i64 4
;   %48 = insertelement <8 x i32> %47, i32 %40, i64 5
;   %49 = insertelement <8 x i32> %48, i32 %41, i64 6
;   %50 = insertelement <8 x i32> %49, i32 %42, i64 7
;   %51 = add <8 x i32> %50, %10
;   store <8 x i32> %51, ptr %14, align 4
;   ret <8 x i32> zeroinitializer
; }
;
; ; Function Attrs: nounwind
; define hidden void @__offload_cpu.HASH.exchange(ptr noalias noundef nonnull readonly align 8 %0, ptr noalias noundef nonnull readonly align 8 %1) #1 {
; entry:
;   %2 = getelementptr inbounds i8, ptr %0, i64 12
;   %3 = load i32, ptr %2, align 4, !invariant.load !0
;   %4 = getelementptr inbounds i8, ptr %0, i64 16
;   %5 = load i32, ptr %4, align 4, !invariant.load !0
;   %6 = getelementptr inbounds i8, ptr %0, i64 20
;   %7 = load i32, ptr %6, align 4, !invariant.load !0
;   %8 = getelementptr inbounds i8, ptr %1, i64 0
;   %9 = load ptr, ptr %8, align 8
;   %10 = zext i32 %3 to i64
;   %11 = zext i32 %5 to i64
;   %12 = zext i32 %7 to i64
;   %13 = mul i64 %10, %11
;   %14 = mul i64 %13, %12
;   %15 = add i64 %14, 63
;   %threads = and i64 %15, -64
;   %16 = mul i64 %threads, 8
;   %17 = getelementptr inbounds i8, ptr %0, i64 56
;   %18 = load ptr, ptr %17, align 8, !invariant.load !0
;   %frames = call noalias noundef nonnull align 64 ptr %18(ptr %0, i64 %16)
;   %groups = and i32 %3, -8
;   br label %z
;
; z:                                                ; preds = %40, %entry
;   %z1 = phi i32 [ 0, %entry ], [ %41, %40 ]
;   br label %y
;
; y:                                                ; preds = %after5, %z
;   %y2 = phi i32 [ 0, %z ], [ %33, %after5 ]
;   %19 = zext i32 %z1 to i64
;   %20 = zext i32 %5 to i64
;   %21 = mul i64 %19, %20
;   %22 = zext i32 %y2 to i64
;   %23 = add i64 %21, %22
;   %24 = zext i32 %3 to i64
;   %25 = mul i64 %23, %24
;   %26 = icmp ult i32 0, %groups
;   br i1 %26, label %x, label %after
;
; after:                                            ; preds = %x, %y
;   %27 = icmp ult i32 %groups, %3
;   br i1 %27, label %x6, label %after5
;
; x:                                                ; preds = %y, %x
;   %x3 = phi i32 [ %31, %x ], [ 0, %y ]
;   %28 = zext i32 %x3 to i64
;   %29 = add i64 %25, %28
;   %30 = call <8 x i32> @exchange.thread.0.together(ptr %9, ptr %0, i32 %x3, i32 %y2, i32 %z1, ptr %frames, i64 %threads, i64 %29, i32 0)
;   %31 = add nuw i32 %x3, 8
;   %32 = icmp ult i32 %31, %groups
;   br i1 %32, label %x, label %after
;
; after5:                                           ; preds = %x6, %after
;   %33 = add nuw i32 %y2, 1
;   %34 = icmp ult i32 %33, %5
;   br i1 %34, label %y, label %40
;
; x6:                                               ; preds = %after, %x6
;   %x7 = phi i32 [ %38, %x6 ], [ %groups, %after ]
;   %35 = zext i32 %x7 to i64
;   %36 = add i64 %25, %35
;   %37 = call i32 @exchange.thread.0(ptr %9, ptr %0, i32 %x7, i32 %y2, i32 %z1, ptr %frames, i64 %threads, i64 %36, i32 0)
;   %38 = add nuw i32 %x7, 1
;   %39 = icmp ult i32 %38, %3
;   br i1 %39, label %x6, label %after5
;
; 40:                                               ; preds = %after5
;   %41 = add nuw i32 %z1, 1
;   %42 = icmp ult i32 %41, %7
;   br i1 %42, label %z, label %region1
;
; region1:                                          ; preds = %40
;   %groups8 = and i32 %3, -8
;   br label %z9
;
; z9:                                               ; preds = %64, %region1
;   %z10 = phi i32 [ 0, %region1 ], [ %65, %64 ]
;   br label %y11
;
; y11:                                              ; preds = %after18, %z9
;   %y12 = phi i32 [ 0, %z9 ], [ %57, %after18 ]
;   %43 = zext i32 %z10 to i64
;   %44 = zext i32 %5 to i64
;   %45 = mul i64 %43, %44
;   %46 = zext i32 %y12 to i64
;   %47 = add i64 %45, %46
;   %48 = zext i32 %3 to i64
;   %49 = mul i64 %47, %48
;   %50 = icmp ult i32 0, %groups8
;   br i1 %50, label %x15, label %after14
;
; after14:                                          ; preds = %x15, %y11
;   %51 = icmp ult i32 %groups8, %3
;   br i1 %51, label %x19, label %after18
;
; x15:                                              ; preds = %y11, %x15
;   %x16 = phi i32 [ %55, %x15 ], [ 0, %y11 ]
;   %52 = zext i32 %x16 to i64
;   %53 = add i64 %49, %52
;   %54 = call <8 x i32> @exchange.thread.1.together(ptr %9, ptr %0, i32 %x16, i32 %y12, i32 %z10, ptr %frames, i64 %threads, i64 %53, i32 0)
;   %55 = add nuw i32 %x16, 8
;   %56 = icmp ult i32 %55, %groups8
;   br i1 %56, label %x15, label %after14
;
; after18:                                          ; preds = %x19, %after14
;   %57 = add nuw i32 %y12, 1
;   %58 = icmp ult i32 %57, %5
;   br i1 %58, label %y11, label %64
;
; x19:                                              ; preds = %after14, %x19
;   %x20 = phi i32 [ %62, %x19 ], [ %groups8, %after14 ]
;   %59 = zext i32 %x20 to i64
;   %60 = add i64 %49, %59
;   %61 = call i32 @exchange.thread.1(ptr %9, ptr %0, i32 %x20, i32 %y12, i32 %z10, ptr %frames, i64 %threads, i64 %60, i32 0)
;   %62 = add nuw i32 %x20, 1
;   %63 = icmp ult i32 %62, %3
;   br i1 %63, label %x19, label %after18
;
; 64:                                               ; preds = %after18
;   %65 = add nuw i32 %z10, 1
;   %66 = icmp ult i32 %65, %7
;   br i1 %66, label %z9, label %done
;
; done:                                             ; preds = %64
;   ret void
; }
;
; attributes #0 = { mustprogress nounwind willreturn "probe-stack"="inline-asm" }
; attributes #1 = { nounwind "probe-stack"="inline-asm" }
;
; !0 = !{}
