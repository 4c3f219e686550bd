; A kernel with a barrier is split into two regions. A value that is needed after the barrier is in the thread's slot,
; and values that depend only on the position and the arguments are computed again.
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
;   %9 = getelementptr inbounds i8, ptr %4, i64 %8
;   %10 = getelementptr inbounds i8, ptr %0, i64 40
;   %11 = load ptr, ptr %10, align 8, !invariant.load !0
;   %12 = zext i32 %1 to i64
;   %13 = getelementptr i32, ptr %io, i64 %12
;   %14 = getelementptr i32, ptr %11, i64 %12
;   %mine = load i32, ptr %13, align 4
;   store i32 %mine, ptr %14, align 4
;   store i32 %mine, ptr %9, align 4
;   ret i32 1
; }
;
; ; Function Attrs: mustprogress nounwind willreturn
; define internal i32 @exchange.thread.1(ptr %io, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7) local_unnamed_addr #0 {
; prologue:
;   %8 = mul i64 %6, 4
;   %9 = getelementptr inbounds i8, ptr %4, i64 %8
;   %10 = getelementptr inbounds i8, ptr %0, i64 40
;   %11 = load ptr, ptr %10, align 8, !invariant.load !0
;   %12 = zext i32 %1 to i64
;   %13 = getelementptr i32, ptr %io, i64 %12
;   %14 = xor i64 %12, 1
;   %15 = getelementptr i32, ptr %11, i64 %14
;   %16 = load i32, ptr %9, align 4
;   %theirs = load i32, ptr %15, align 4
;   %sum = add i32 %theirs, %16
;   store i32 %sum, ptr %13, align 4
;   ret i32 0
; }
;
; ; Function Attrs: mustprogress nounwind willreturn
; define internal <8 x i32> @exchange.thread.1.vector(ptr %io, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7) local_unnamed_addr #0 {
; vector:
;   %8 = alloca [8 x i32], align 4
;   %9 = mul i64 %6, 4
;   %10 = getelementptr i8, ptr %4, i64 %9
;   %11 = getelementptr inbounds i8, ptr %0, i64 40
;   %12 = load ptr, ptr %11, align 8, !invariant.load !0
;   %13 = zext i32 %1 to i64
;   %14 = getelementptr i32, ptr %io, i64 %13
;   %15 = and i64 %13, 7
;   %16 = icmp eq i64 %15, 0
;   %17 = freeze i1 %16
;   br i1 %17, label %alike, label %each
;
; common.ret:                                       ; preds = %met, %alike
;   %common.ret.op = phi <8 x i32> [ zeroinitializer, %alike ], [ %32, %met ]
;   ret <8 x i32> %common.ret.op
;
; alike:                                            ; preds = %vector
;   %18 = xor i64 %13, 1
;   %19 = getelementptr i32, ptr %12, i64 %18
;   %20 = load <8 x i32>, ptr %10, align 4
;   %21 = getelementptr i8, ptr %19, i64 -4
;   %22 = load <8 x i32>, ptr %21, align 4
;   %23 = shufflevector <8 x i32> %22, <8 x i32> poison, <8 x i32> <i32 1, i32 0, i32 3, i32 2, i32 5, i32 4, i32 7, i32 6>
;   %24 = add <8 x i32> %23, %20
;   store <8 x i32> %24, ptr %14, align 4
;   br label %common.ret
;
; each:                                             ; preds = %vector, %each
;   %thread = phi i64 [ %30, %each ], [ 0, %vector ]
;   %25 = trunc i64 %thread to i32
;   %26 = add i32 %1, %25
;   %27 = add i64 %6, %thread
;   %28 = call i32 @exchange.thread.1(ptr %io, ptr %0, i32 %26, i32 %2, i32 %3, ptr %4, i64 %5, i64 %27, i32 %7) #2
;   %29 = getelementptr inbounds i32, ptr %8, i64 %thread
;   store i32 %28, ptr %29, align 4
;   %30 = add i64 %thread, 1
;   %31 = icmp ult i64 %30, 8
;   br i1 %31, label %each, label %met
;
; met:                                              ; preds = %each
;   %32 = load <8 x i32>, ptr %8, align 4
;   br label %common.ret
; }
;
; ; Function Attrs: mustprogress nounwind willreturn
; define internal <8 x i32> @exchange.thread.0.vector(ptr %io, ptr %0, i32 %1, i32 %2, i32 %3, ptr %4, i64 %5, i64 %6, i32 %7) local_unnamed_addr #0 {
; vector:
;   %8 = mul i64 %6, 4
;   %9 = getelementptr i8, ptr %4, i64 %8
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
; z:                                                ; preds = %42, %entry
;   %z1 = phi i32 [ 0, %entry ], [ %43, %42 ]
;   br label %y
;
; y:                                                ; preds = %after5, %z
;   %y2 = phi i32 [ 0, %z ], [ %35, %after5 ]
;   %19 = zext i32 %z1 to i64
;   %20 = zext i32 %5 to i64
;   %21 = mul i64 %19, %20
;   %22 = zext i32 %y2 to i64
;   %23 = add i64 %21, %22
;   %24 = zext i32 %3 to i64
;   %25 = mul i64 %23, %24
;   %26 = sub i32 %3, 0
;   %groups = and i32 %26, -8
;   %27 = add i32 0, %groups
;   %28 = icmp uge i32 0, %27
;   br i1 %28, label %after, label %x
;
; after:                                            ; preds = %x, %y
;   %29 = icmp uge i32 %27, %3
;   br i1 %29, label %after5, label %x6
;
; x:                                                ; preds = %y, %x
;   %x3 = phi i32 [ %33, %x ], [ 0, %y ]
;   %30 = zext i32 %x3 to i64
;   %31 = add i64 %25, %30
;   %32 = call <8 x i32> @exchange.thread.0.vector(ptr %9, ptr %0, i32 %x3, i32 %y2, i32 %z1, ptr %frames, i64 %threads, i64 %31, i32 0)
;   %33 = add nuw i32 %x3, 8
;   %34 = icmp ult i32 %33, %27
;   br i1 %34, label %x, label %after
;
; after5:                                           ; preds = %x6, %after
;   %35 = add nuw i32 %y2, 1
;   %36 = icmp ult i32 %35, %5
;   br i1 %36, label %y, label %42
;
; x6:                                               ; preds = %after, %x6
;   %x7 = phi i32 [ %40, %x6 ], [ %27, %after ]
;   %37 = zext i32 %x7 to i64
;   %38 = add i64 %25, %37
;   %39 = call i32 @exchange.thread.0(ptr %9, ptr %0, i32 %x7, i32 %y2, i32 %z1, ptr %frames, i64 %threads, i64 %38, i32 0)
;   %40 = add nuw i32 %x7, 1
;   %41 = icmp ult i32 %40, %3
;   br i1 %41, label %x6, label %after5
;
; 42:                                               ; preds = %after5
;   %43 = add nuw i32 %z1, 1
;   %44 = icmp ult i32 %43, %7
;   br i1 %44, label %z, label %z8
;
; z8:                                               ; preds = %42, %68
;   %z9 = phi i32 [ %69, %68 ], [ 0, %42 ]
;   br label %y10
;
; y10:                                              ; preds = %after18, %z8
;   %y11 = phi i32 [ 0, %z8 ], [ %61, %after18 ]
;   %45 = zext i32 %z9 to i64
;   %46 = zext i32 %5 to i64
;   %47 = mul i64 %45, %46
;   %48 = zext i32 %y11 to i64
;   %49 = add i64 %47, %48
;   %50 = zext i32 %3 to i64
;   %51 = mul i64 %49, %50
;   %52 = sub i32 %3, 0
;   %groups12 = and i32 %52, -8
;   %53 = add i32 0, %groups12
;   %54 = icmp uge i32 0, %53
;   br i1 %54, label %after14, label %x15
;
; after14:                                          ; preds = %x15, %y10
;   %55 = icmp uge i32 %53, %3
;   br i1 %55, label %after18, label %x19
;
; x15:                                              ; preds = %y10, %x15
;   %x16 = phi i32 [ %59, %x15 ], [ 0, %y10 ]
;   %56 = zext i32 %x16 to i64
;   %57 = add i64 %51, %56
;   %58 = call <8 x i32> @exchange.thread.1.vector(ptr %9, ptr %0, i32 %x16, i32 %y11, i32 %z9, ptr %frames, i64 %threads, i64 %57, i32 0)
;   %59 = add nuw i32 %x16, 8
;   %60 = icmp ult i32 %59, %53
;   br i1 %60, label %x15, label %after14
;
; after18:                                          ; preds = %x19, %after14
;   %61 = add nuw i32 %y11, 1
;   %62 = icmp ult i32 %61, %5
;   br i1 %62, label %y10, label %68
;
; x19:                                              ; preds = %after14, %x19
;   %x20 = phi i32 [ %66, %x19 ], [ %53, %after14 ]
;   %63 = zext i32 %x20 to i64
;   %64 = add i64 %51, %63
;   %65 = call i32 @exchange.thread.1(ptr %9, ptr %0, i32 %x20, i32 %y11, i32 %z9, ptr %frames, i64 %threads, i64 %64, i32 0)
;   %66 = add nuw i32 %x20, 1
;   %67 = icmp ult i32 %66, %3
;   br i1 %67, label %x19, label %after18
;
; 68:                                               ; preds = %after18
;   %69 = add nuw i32 %z9, 1
;   %70 = icmp ult i32 %69, %7
;   br i1 %70, label %z8, label %done
;
; done:                                             ; preds = %68
;   ret void
; }
;
; attributes #0 = { mustprogress nounwind willreturn "probe-stack"="inline-asm" }
; attributes #1 = { nounwind "probe-stack"="inline-asm" }
; attributes #2 = { noinline }
;
; !0 = !{}
