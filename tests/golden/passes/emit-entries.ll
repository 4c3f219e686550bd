; The entry of a kernel loops over the threads of a block. It calls the code of eight threads where there is such code, and of one
; thread for the rest. A kernel with a barrier has a loop for each of its regions, with slots that the scheduler allocates. The table
; is not needed any more.
; RUN: offloadc %s --run-pass=emit_entries --offload-arch=cpu | grep -v "^target" | sed 's/__offload_cpu\.[0-9a-f]*/__offload_cpu.HASH/'

define internal void @fill.thread(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z) {
  %place = getelementptr i32, ptr %io, i32 %x
  store i32 %x, ptr %place
  ret void
}

define internal void @fill.thread.vector(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z) {
  %place = getelementptr i32, ptr %io, i32 %x
  %first = insertelement <8 x i32> poison, i32 %x, i32 0
  %all = shufflevector <8 x i32> %first, <8 x i32> poison, <8 x i32> zeroinitializer
  %own = add <8 x i32> %all, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  store <8 x i32> %own, ptr %place
  ret void
}

define internal i32 @any(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  ret i32 0
}

define internal i32 @two.thread.0(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %place = getelementptr i32, ptr %memory, i64 %number
  store i32 %x, ptr %place
  ret i32 1
}

define internal i32 @two.thread.1(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %place = getelementptr i32, ptr %memory, i64 %number
  %value = load i32, ptr %place
  store i32 %value, ptr %io
  ret i32 0
}

!offload.spmd.code = !{!0, !1}
!0 = !{!"fill", !{!{i64 0, i64 8, ptr poison}}, i64 8, i64 8, !{!"one", !{!"group", i64 8, !{ptr @fill.thread.vector, !{}, i1 false}, !{ptr @fill.thread, !{}, i1 false}}}}
!1 = !{!"two", !{!{i64 0, i64 8, ptr poison}}, i64 8, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @two.thread.0, !{i64 1}, i1 false}, i1 true, !{}}, !{!{ptr @two.thread.1, !{i64 0}, i1 false}, i1 true, !{}}}, !{i64 4}, !{}, i64 1, null}}}
;;; stdout
;
; define internal void @fill.thread(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z) {
;   %place = getelementptr i32, ptr %io, i32 %x
;   store i32 %x, ptr %place, align 4
;   ret void
; }
;
; define internal void @fill.thread.vector(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z) {
;   %place = getelementptr i32, ptr %io, i32 %x
;   %first = insertelement <8 x i32> poison, i32 %x, i32 0
;   %all = shufflevector <8 x i32> %first, <8 x i32> poison, <8 x i32> zeroinitializer
;   %own = add <8 x i32> %all, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
;   store <8 x i32> %own, ptr %place, align 32
;   ret void
; }
;
; define internal i32 @any(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   ret i32 0
; }
;
; define internal i32 @two.thread.0(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %place = getelementptr i32, ptr %memory, i64 %number
;   store i32 %x, ptr %place, align 4
;   ret i32 1
; }
;
; define internal i32 @two.thread.1(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %place = getelementptr i32, ptr %memory, i64 %number
;   %value = load i32, ptr %place, align 4
;   store i32 %value, ptr %io, align 4
;   ret i32 0
; }
;
; ; Function Attrs: nounwind
; define hidden void @__offload_cpu.HASH.fill(ptr noalias noundef nonnull readonly align 8 %0, ptr noalias noundef nonnull readonly align 8 %1) #0 {
; entry:
;   %2 = getelementptr inbounds i8, ptr %0, i64 12
;   %3 = load i32, ptr %2, align 4, !invariant.load !0
;   %4 = getelementptr inbounds i8, ptr %0, i64 16
;   %5 = load i32, ptr %4, align 4, !invariant.load !0
;   %6 = getelementptr inbounds i8, ptr %0, i64 20
;   %7 = load i32, ptr %6, align 4, !invariant.load !0
;   %8 = getelementptr inbounds i8, ptr %1, i64 0
;   %9 = load ptr, ptr %8, align 8
;   br label %z
;
; z:                                                ; preds = %33, %entry
;   %z1 = phi i32 [ 0, %entry ], [ %34, %33 ]
;   br label %y
;
; y:                                                ; preds = %after5, %z
;   %y2 = phi i32 [ 0, %z ], [ %26, %after5 ]
;   %10 = zext i32 %z1 to i64
;   %11 = zext i32 %5 to i64
;   %12 = mul i64 %10, %11
;   %13 = zext i32 %y2 to i64
;   %14 = add i64 %12, %13
;   %15 = zext i32 %3 to i64
;   %16 = mul i64 %14, %15
;   %17 = sub i32 %3, 0
;   %groups = and i32 %17, -8
;   %18 = add i32 0, %groups
;   %19 = icmp uge i32 0, %18
;   br i1 %19, label %after, label %enter
;
; enter:                                            ; preds = %y
;   br label %x
;
; after:                                            ; preds = %25, %y
;   %20 = icmp uge i32 %18, %3
;   br i1 %20, label %after5, label %enter4
;
; x:                                                ; preds = %x, %enter
;   %x3 = phi i32 [ 0, %enter ], [ %23, %x ]
;   %21 = zext i32 %x3 to i64
;   %22 = add i64 %16, %21
;   call void @fill.thread.vector(ptr %9, ptr %0, i32 %x3, i32 %y2, i32 %z1)
;   %23 = add nuw i32 %x3, 8
;   %24 = icmp ult i32 %23, %18
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
;   %x7 = phi i32 [ %18, %enter4 ], [ %30, %x6 ]
;   %28 = zext i32 %x7 to i64
;   %29 = add i64 %16, %28
;   call void @fill.thread(ptr %9, ptr %0, i32 %x7, i32 %y2, i32 %z1)
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
; ; Function Attrs: nounwind
; define hidden void @__offload_cpu.HASH.two(ptr noalias noundef nonnull readonly align 8 %0, ptr noalias noundef nonnull readonly align 8 %1) #0 {
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
;   %some = alloca i32, align 4
;   %every = alloca i32, align 4
;   %highest = alloca i32, align 4
;   br label %region0
;
; region0:                                          ; preds = %entry
;   br label %z
;
; region1:                                          ; preds = %37
;   br label %z4
;
; diverged:                                         ; No predecessors!
;   br label %again
;
; done:                                             ; preds = %82, %56
;   ret void
;
; z:                                                ; preds = %34, %region0
;   %z1 = phi i32 [ 0, %region0 ], [ %35, %34 ]
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
;   %28 = call i32 @two.thread.0(ptr %9, ptr %0, i32 %x3, i32 %y2, i32 %z1, ptr %frames, i64 %threads, i64 %27, i32 0)
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
;   br i1 %36, label %z, label %37
;
; 37:                                               ; preds = %34
;   br label %region1
;
; z4:                                               ; preds = %53, %region1
;   %z5 = phi i32 [ 0, %region1 ], [ %54, %53 ]
;   br label %y6
;
; y6:                                               ; preds = %50, %z4
;   %y7 = phi i32 [ 0, %z4 ], [ %51, %50 ]
;   %38 = zext i32 %z5 to i64
;   %39 = zext i32 %5 to i64
;   %40 = mul i64 %38, %39
;   %41 = zext i32 %y7 to i64
;   %42 = add i64 %40, %41
;   %43 = zext i32 %3 to i64
;   %44 = mul i64 %42, %43
;   br label %x8
;
; x8:                                               ; preds = %x8, %y6
;   %x9 = phi i32 [ 0, %y6 ], [ %48, %x8 ]
;   %45 = zext i32 %x9 to i64
;   %46 = add i64 %44, %45
;   %47 = call i32 @two.thread.1(ptr %9, ptr %0, i32 %x9, i32 %y7, i32 %z5, ptr %frames, i64 %threads, i64 %46, i32 0)
;   %48 = add nuw i32 %x9, 1
;   %49 = icmp ult i32 %48, %3
;   br i1 %49, label %x8, label %50
;
; 50:                                               ; preds = %x8
;   %51 = add nuw i32 %y7, 1
;   %52 = icmp ult i32 %51, %5
;   br i1 %52, label %y6, label %53
;
; 53:                                               ; preds = %50
;   %54 = add nuw i32 %z5, 1
;   %55 = icmp ult i32 %54, %7
;   br i1 %55, label %z4, label %56
;
; 56:                                               ; preds = %53
;   br label %done
;
; again:                                            ; preds = %82, %diverged
;   store i32 0, ptr %some, align 4
;   br label %z10
;
; z10:                                              ; preds = %79, %again
;   %z11 = phi i32 [ 0, %again ], [ %80, %79 ]
;   br label %y12
;
; y12:                                              ; preds = %76, %z10
;   %y13 = phi i32 [ 0, %z10 ], [ %77, %76 ]
;   %57 = zext i32 %z11 to i64
;   %58 = zext i32 %5 to i64
;   %59 = mul i64 %57, %58
;   %60 = zext i32 %y13 to i64
;   %61 = add i64 %59, %60
;   %62 = zext i32 %3 to i64
;   %63 = mul i64 %61, %62
;   br label %x14
;
; x14:                                              ; preds = %next, %y12
;   %x15 = phi i32 [ 0, %y12 ], [ %74, %next ]
;   %64 = zext i32 %x15 to i64
;   %65 = add i64 %63, %64
;   %66 = mul i64 %threads, 4
;   %states = getelementptr inbounds i8, ptr %frames, i64 %66
;   %67 = getelementptr inbounds i32, ptr %states, i64 %65
;   %68 = load i32, ptr %67, align 4
;   %69 = icmp uge i32 %68, 1
;   br i1 %69, label %live, label %next
;
; live:                                             ; preds = %x14
;   %70 = call i32 @any(ptr %9, ptr %0, i32 %x15, i32 %y13, i32 %z11, ptr %frames, i64 %threads, i64 %65, i32 %68)
;   store i32 %70, ptr %67, align 4
;   br label %next
;
; next:                                             ; preds = %live, %x14
;   %71 = load i32, ptr %67, align 4
;   %72 = load i32, ptr %some, align 4
;   %73 = or i32 %72, %71
;   store i32 %73, ptr %some, align 4
;   %74 = add nuw i32 %x15, 1
;   %75 = icmp ult i32 %74, %3
;   br i1 %75, label %x14, label %76
;
; 76:                                               ; preds = %next
;   %77 = add nuw i32 %y13, 1
;   %78 = icmp ult i32 %77, %5
;   br i1 %78, label %y12, label %79
;
; 79:                                               ; preds = %76
;   %80 = add nuw i32 %z11, 1
;   %81 = icmp ult i32 %80, %7
;   br i1 %81, label %z10, label %82
;
; 82:                                               ; preds = %79
;   %83 = load i32, ptr %some, align 4
;   %84 = icmp ne i32 %83, 0
;   br i1 %84, label %again, label %done
; }
;
; attributes #0 = { nounwind }
;
; !0 = !{}
