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
; prologue:
;   %8 = mul i64 %6, 4
;   %slot = getelementptr inbounds i8, ptr %4, i64 %8
;   %9 = getelementptr inbounds i8, ptr %0, i64 40
;   %10 = load ptr, ptr %9, align 8, !invariant.load !0
;   %11 = zext i32 %1 to i64
;   %12 = getelementptr i32, ptr %io, i64 %11
;   %13 = getelementptr i32, ptr %10, i64 %11
;   %mine = load i32, ptr %12, align 4
;   store i32 %mine, ptr %slot, align 4
;   %mine.reload1 = load i32, ptr %slot, align 4
;   store i32 %mine.reload1, ptr %13, align 4
;   ret i32 1
; }
;
; ; Function Attrs: mustprogress nounwind willreturn
; define internal i32 @exchange.thread.1(ptr %io, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7) local_unnamed_addr #0 {
; prologue:
;   %8 = mul i64 %6, 4
;   %slot = getelementptr inbounds i8, ptr %4, i64 %8
;   %9 = getelementptr inbounds i8, ptr %0, i64 40
;   %10 = load ptr, ptr %9, align 8, !invariant.load !0
;   %11 = zext i32 %1 to i64
;   %12 = getelementptr i32, ptr %io, i64 %11
;   %13 = xor i64 %11, 1
;   %14 = getelementptr i32, ptr %10, i64 %13
;   %theirs = load i32, ptr %14, align 4
;   %mine.reload = load i32, ptr %slot, align 4
;   %sum = add i32 %theirs, %mine.reload
;   store i32 %sum, ptr %12, align 4
;   ret i32 0
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
;   br label %z
;
; z:                                                ; preds = %34, %entry
;   %z1 = phi i32 [ 0, %entry ], [ %35, %34 ]
;   br label %y
;
; y:                                                ; preds = %31, %z
;   %y2 = phi i32 [ 0, %z ], [ %32, %31 ]
;   %19 = zext i32 %z1 to i64
;   %20 = zext i32 %5 to i64
;   %21 = mul i64 %19, %20
;   %22 = zext i32 %y2 to i64
;   %23 = add i64 %21, %22
;   %24 = zext i32 %3 to i64
;   %25 = mul i64 %23, %24
;   br label %x
;
; x:                                                ; preds = %x, %y
;   %x3 = phi i32 [ 0, %y ], [ %29, %x ]
;   %26 = zext i32 %x3 to i64
;   %27 = add i64 %25, %26
;   %28 = call i32 @exchange.thread.0(ptr %9, ptr %0, i32 %x3, i32 %y2, i32 %z1, ptr %frames, i64 %threads, i64 %27, i32 0)
;   %29 = add nuw i32 %x3, 1
;   %30 = icmp ult i32 %29, %3
;   br i1 %30, label %x, label %31
;
; 31:                                               ; preds = %x
;   %32 = add nuw i32 %y2, 1
;   %33 = icmp ult i32 %32, %5
;   br i1 %33, label %y, label %34
;
; 34:                                               ; preds = %31
;   %35 = add nuw i32 %z1, 1
;   %36 = icmp ult i32 %35, %7
;   br i1 %36, label %z, label %z4
;
; z4:                                               ; preds = %34, %52
;   %z5 = phi i32 [ %53, %52 ], [ 0, %34 ]
;   br label %y6
;
; y6:                                               ; preds = %49, %z4
;   %y7 = phi i32 [ 0, %z4 ], [ %50, %49 ]
;   %37 = zext i32 %z5 to i64
;   %38 = zext i32 %5 to i64
;   %39 = mul i64 %37, %38
;   %40 = zext i32 %y7 to i64
;   %41 = add i64 %39, %40
;   %42 = zext i32 %3 to i64
;   %43 = mul i64 %41, %42
;   br label %x8
;
; x8:                                               ; preds = %x8, %y6
;   %x9 = phi i32 [ 0, %y6 ], [ %47, %x8 ]
;   %44 = zext i32 %x9 to i64
;   %45 = add i64 %43, %44
;   %46 = call i32 @exchange.thread.1(ptr %9, ptr %0, i32 %x9, i32 %y7, i32 %z5, ptr %frames, i64 %threads, i64 %45, i32 0)
;   %47 = add nuw i32 %x9, 1
;   %48 = icmp ult i32 %47, %3
;   br i1 %48, label %x8, label %49
;
; 49:                                               ; preds = %x8
;   %50 = add nuw i32 %y7, 1
;   %51 = icmp ult i32 %50, %5
;   br i1 %51, label %y6, label %52
;
; 52:                                               ; preds = %49
;   %53 = add nuw i32 %z5, 1
;   %54 = icmp ult i32 %53, %7
;   br i1 %54, label %z4, label %done
;
; done:                                             ; preds = %52
;   ret void
; }
;
; attributes #0 = { mustprogress nounwind willreturn "probe-stack"="inline-asm" }
; attributes #1 = { nounwind "probe-stack"="inline-asm" }
;
; !0 = !{}
