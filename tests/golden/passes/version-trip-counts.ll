; A loop in steps of the block's size has equally many iterations in all threads, unless its end is between two
; multiples. The region becomes two, and a function compares the numbers of the first and last thread; one version has
; the number of the first. A number that does not depend on the thread is left alone, like one that depends on the
; thread's number in the block, a region whose threads may stop at different places, and one with scattered accesses.
; RUN: offloadc %s --run-pass=version_trip_counts --offload-arch=cpu | grep -v "^target"

declare i64 @llvm.usub.sat.i64(i64, i64)

define internal i32 @any(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  ret i32 0
}

define internal i32 @counts.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %i = zext i32 %x to i64
  %dim = getelementptr inbounds i8, ptr %block, i64 12
  %size = load i32, ptr %dim, !invariant.load !9
  %step = zext i32 %size to i64
  %left = call i64 @llvm.usub.sat.i64(i64 %n, i64 %i)
  %whole = udiv i64 %left, %step
  %rest = urem i64 %left, %step
  %has = icmp ne i64 %rest, 0
  %one = zext i1 %has to i64
  %count = add i64 %whole, %one
  br label %loop
loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %place = getelementptr i32, ptr %io, i64 %k
  store i32 %x, ptr %place
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %end
end:
  ret i32 0
}

define internal i32 @uniform.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %i = zext i32 %x to i64
  %dim = getelementptr inbounds i8, ptr %block, i64 12
  %size = load i32, ptr %dim, !invariant.load !9
  %step = zext i32 %size to i64
  %left = call i64 @llvm.usub.sat.i64(i64 %n, i64 0)
  %whole = udiv i64 %left, %step
  %rest = urem i64 %left, %step
  %has = icmp ne i64 %rest, 0
  %one = zext i1 %has to i64
  %count = add i64 %whole, %one
  br label %loop
loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %place = getelementptr i32, ptr %io, i64 %k
  store i32 %x, ptr %place
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %end
end:
  ret i32 0
}

define internal i32 @number.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %i = zext i32 %x to i64
  %dim = getelementptr inbounds i8, ptr %block, i64 12
  %size = load i32, ptr %dim, !invariant.load !9
  %step = zext i32 %size to i64
  %left = call i64 @llvm.usub.sat.i64(i64 %n, i64 %number)
  %whole = udiv i64 %left, %step
  %rest = urem i64 %left, %step
  %has = icmp ne i64 %rest, 0
  %one = zext i1 %has to i64
  %count = add i64 %whole, %one
  br label %loop
loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %place = getelementptr i32, ptr %io, i64 %k
  store i32 %x, ptr %place
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %end
end:
  ret i32 0
}

define internal i32 @apart.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %i = zext i32 %x to i64
  %dim = getelementptr inbounds i8, ptr %block, i64 12
  %size = load i32, ptr %dim, !invariant.load !9
  %step = zext i32 %size to i64
  %left = call i64 @llvm.usub.sat.i64(i64 %n, i64 %i)
  %whole = udiv i64 %left, %step
  %rest = urem i64 %left, %step
  %has = icmp ne i64 %rest, 0
  %one = zext i1 %has to i64
  %count = add i64 %whole, %one
  br label %loop
loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %place = getelementptr i32, ptr %io, i64 %k
  store i32 %x, ptr %place
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %end
end:
  ret i32 0
}

define internal i32 @scattered.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %i = zext i32 %x to i64
  %dim = getelementptr inbounds i8, ptr %block, i64 12
  %size = load i32, ptr %dim, !invariant.load !9
  %step = zext i32 %size to i64
  %left = call i64 @llvm.usub.sat.i64(i64 %n, i64 %i)
  %whole = udiv i64 %left, %step
  %rest = urem i64 %left, %step
  %has = icmp ne i64 %rest, 0
  %one = zext i1 %has to i64
  %count = add i64 %whole, %one
  br label %loop
loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %place = getelementptr i32, ptr %io, i64 %k
  store i32 %x, ptr %place
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %end
end:
  ret i32 0
}

!offload.spmd.code = !{!0, !1, !2, !3, !4}
!0 = !{!"counts", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 8, i64 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @counts.thread.0, !{i64 0}, i1 false}, i1 true, !{}}}, !{i64 16}, !{}, i64 1, null}}}
!1 = !{!"uniform", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 8, i64 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @uniform.thread.0, !{i64 0}, i1 false}, i1 true, !{}}}, !{i64 16}, !{}, i64 1, null}}}
!2 = !{!"number", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 8, i64 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @number.thread.0, !{i64 0}, i1 false}, i1 true, !{}}}, !{i64 16}, !{}, i64 1, null}}}
!3 = !{!"apart", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 8, i64 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @apart.thread.0, !{i64 0}, i1 false}, i1 false, !{}}}, !{i64 16}, !{}, i64 1, null}}}
!4 = !{!"scattered", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 8, i64 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @scattered.thread.0, !{i64 0}, i1 true}, i1 true, !{}}}, !{i64 16}, !{}, i64 1, null}}}
!9 = !{}
;;; stdout
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare i64 @llvm.usub.sat.i64(i64, i64) #0
;
; define internal i32 @any(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   ret i32 0
; }
;
; define internal i32 @counts.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %i = zext i32 %x to i64
;   %dim = getelementptr inbounds i8, ptr %block, i64 12
;   %size = load i32, ptr %dim, align 4, !invariant.load !12
;   %step = zext i32 %size to i64
;   %left = call i64 @llvm.usub.sat.i64(i64 %n, i64 %i)
;   %whole = udiv i64 %left, %step
;   %rest = urem i64 %left, %step
;   %has = icmp ne i64 %rest, 0
;   %one = zext i1 %has to i64
;   %count = add i64 %whole, %one
;   br label %loop
;
; loop:                                             ; preds = %loop, %0
;   %k = phi i64 [ 0, %0 ], [ %next, %loop ]
;   %place = getelementptr i32, ptr %io, i64 %k
;   store i32 %x, ptr %place, align 4
;   %next = add i64 %k, 1
;   %again = icmp ult i64 %next, %count
;   br i1 %again, label %loop, label %end
;
; end:                                              ; preds = %loop
;   ret i32 0
; }
;
; define internal i32 @uniform.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %i = zext i32 %x to i64
;   %dim = getelementptr inbounds i8, ptr %block, i64 12
;   %size = load i32, ptr %dim, align 4, !invariant.load !12
;   %step = zext i32 %size to i64
;   %left = call i64 @llvm.usub.sat.i64(i64 %n, i64 0)
;   %whole = udiv i64 %left, %step
;   %rest = urem i64 %left, %step
;   %has = icmp ne i64 %rest, 0
;   %one = zext i1 %has to i64
;   %count = add i64 %whole, %one
;   br label %loop
;
; loop:                                             ; preds = %loop, %0
;   %k = phi i64 [ 0, %0 ], [ %next, %loop ]
;   %place = getelementptr i32, ptr %io, i64 %k
;   store i32 %x, ptr %place, align 4
;   %next = add i64 %k, 1
;   %again = icmp ult i64 %next, %count
;   br i1 %again, label %loop, label %end
;
; end:                                              ; preds = %loop
;   ret i32 0
; }
;
; define internal i32 @number.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %i = zext i32 %x to i64
;   %dim = getelementptr inbounds i8, ptr %block, i64 12
;   %size = load i32, ptr %dim, align 4, !invariant.load !12
;   %step = zext i32 %size to i64
;   %left = call i64 @llvm.usub.sat.i64(i64 %n, i64 %number)
;   %whole = udiv i64 %left, %step
;   %rest = urem i64 %left, %step
;   %has = icmp ne i64 %rest, 0
;   %one = zext i1 %has to i64
;   %count = add i64 %whole, %one
;   br label %loop
;
; loop:                                             ; preds = %loop, %0
;   %k = phi i64 [ 0, %0 ], [ %next, %loop ]
;   %place = getelementptr i32, ptr %io, i64 %k
;   store i32 %x, ptr %place, align 4
;   %next = add i64 %k, 1
;   %again = icmp ult i64 %next, %count
;   br i1 %again, label %loop, label %end
;
; end:                                              ; preds = %loop
;   ret i32 0
; }
;
; define internal i32 @apart.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %i = zext i32 %x to i64
;   %dim = getelementptr inbounds i8, ptr %block, i64 12
;   %size = load i32, ptr %dim, align 4, !invariant.load !12
;   %step = zext i32 %size to i64
;   %left = call i64 @llvm.usub.sat.i64(i64 %n, i64 %i)
;   %whole = udiv i64 %left, %step
;   %rest = urem i64 %left, %step
;   %has = icmp ne i64 %rest, 0
;   %one = zext i1 %has to i64
;   %count = add i64 %whole, %one
;   br label %loop
;
; loop:                                             ; preds = %loop, %0
;   %k = phi i64 [ 0, %0 ], [ %next, %loop ]
;   %place = getelementptr i32, ptr %io, i64 %k
;   store i32 %x, ptr %place, align 4
;   %next = add i64 %k, 1
;   %again = icmp ult i64 %next, %count
;   br i1 %again, label %loop, label %end
;
; end:                                              ; preds = %loop
;   ret i32 0
; }
;
; define internal i32 @scattered.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %i = zext i32 %x to i64
;   %dim = getelementptr inbounds i8, ptr %block, i64 12
;   %size = load i32, ptr %dim, align 4, !invariant.load !12
;   %step = zext i32 %size to i64
;   %left = call i64 @llvm.usub.sat.i64(i64 %n, i64 %i)
;   %whole = udiv i64 %left, %step
;   %rest = urem i64 %left, %step
;   %has = icmp ne i64 %rest, 0
;   %one = zext i1 %has to i64
;   %count = add i64 %whole, %one
;   br label %loop
;
; loop:                                             ; preds = %loop, %0
;   %k = phi i64 [ 0, %0 ], [ %next, %loop ]
;   %place = getelementptr i32, ptr %io, i64 %k
;   store i32 %x, ptr %place, align 4
;   %next = add i64 %k, 1
;   %again = icmp ult i64 %next, %count
;   br i1 %again, label %loop, label %end
;
; end:                                              ; preds = %loop
;   ret i32 0
; }
;
; define internal i32 @counts.thread.0.counted(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %1 = zext i32 0 to i64
;   %2 = getelementptr i8, ptr %block, i64 12
;   %3 = load i32, ptr %2, align 4, !invariant.load !12
;   %4 = zext i32 %3 to i64
;   %5 = call i64 @llvm.usub.sat.i64(i64 %n, i64 %1)
;   %6 = udiv i64 %5, %4
;   %7 = urem i64 %5, %4
;   %8 = icmp ne i64 %7, 0
;   %9 = zext i1 %8 to i64
;   %10 = add i64 %6, %9
;   br label %loop
;
; loop:                                             ; preds = %loop, %0
;   %k = phi i64 [ 0, %0 ], [ %next, %loop ]
;   %place = getelementptr i32, ptr %io, i64 %k
;   store i32 %x, ptr %place, align 4
;   %next = add i64 %k, 1
;   %again = icmp ult i64 %next, %10
;   br i1 %again, label %loop, label %end
;
; end:                                              ; preds = %loop
;   ret i32 0
; }
;
; define internal i32 @counts.thread.0.other(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %i = zext i32 %x to i64
;   %dim = getelementptr inbounds i8, ptr %block, i64 12
;   %size = load i32, ptr %dim, align 4, !invariant.load !12
;   %step = zext i32 %size to i64
;   %left = call i64 @llvm.usub.sat.i64(i64 %n, i64 %i)
;   %whole = udiv i64 %left, %step
;   %rest = urem i64 %left, %step
;   %has = icmp ne i64 %rest, 0
;   %one = zext i1 %has to i64
;   %count = add i64 %whole, %one
;   br label %loop
;
; loop:                                             ; preds = %loop, %0
;   %k = phi i64 [ 0, %0 ], [ %next, %loop ]
;   %place = getelementptr i32, ptr %io, i64 %k
;   store i32 %x, ptr %place, align 4
;   %next = add i64 %k, 1
;   %again = icmp ult i64 %next, %count
;   br i1 %again, label %loop, label %end
;
; end:                                              ; preds = %loop
;   ret i32 0
; }
;
; define internal i1 @counts.thread.0.counts(ptr %0, i64 %1, ptr %2, i32 %3, i32 %4, i32 %5, ptr %6, i64 %7, i64 %8, i32 %9) {
; entry:
;   %10 = getelementptr inbounds i8, ptr %2, i64 12
;   %11 = load i32, ptr %10, align 4, !invariant.load !12
;   %12 = getelementptr inbounds i8, ptr %2, i64 16
;   %13 = load i32, ptr %12, align 4, !invariant.load !12
;   %14 = getelementptr inbounds i8, ptr %2, i64 20
;   %15 = load i32, ptr %14, align 4, !invariant.load !12
;   %16 = sub i32 %11, 1
;   %17 = zext i32 0 to i64
;   %18 = getelementptr i8, ptr %2, i64 12
;   %19 = load i32, ptr %18, align 4, !invariant.load !12
;   %20 = zext i32 %19 to i64
;   %21 = call i64 @llvm.usub.sat.i64(i64 %1, i64 %17)
;   %22 = udiv i64 %21, %20
;   %23 = urem i64 %21, %20
;   %24 = icmp ne i64 %23, 0
;   %25 = zext i1 %24 to i64
;   %26 = add i64 %22, %25
;   %27 = zext i32 %16 to i64
;   %28 = getelementptr i8, ptr %2, i64 12
;   %29 = load i32, ptr %28, align 4, !invariant.load !12
;   %30 = zext i32 %29 to i64
;   %31 = call i64 @llvm.usub.sat.i64(i64 %1, i64 %27)
;   %32 = udiv i64 %31, %30
;   %33 = urem i64 %31, %30
;   %34 = icmp ne i64 %33, 0
;   %35 = zext i1 %34 to i64
;   %36 = add i64 %32, %35
;   %37 = icmp eq i64 %26, %36
;   %38 = icmp ule i64 %17, %27
;   %39 = and i1 %37, %38
;   ret i1 %39
; }
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
;
; !offload.spmd.code = !{!0, !14, !20, !26, !32}
;
; !0 = !{!"counts", !1, i64 16, i64 8, !4}
; !1 = !{!2, !3}
; !2 = !{i64 0, i64 8, ptr poison}
; !3 = !{i64 8, i64 8, i64 poison}
; !4 = !{!"several", !5}
; !5 = !{ptr @any, !6, !13, !12, i64 1, null}
; !6 = !{!7}
; !7 = !{!8, i1 true, !12}
; !8 = !{!"block", ptr @counts.thread.0.counts, !9, !11}
; !9 = !{ptr @counts.thread.0.counted, !10, i1 false}
; !10 = !{i64 0}
; !11 = !{ptr @counts.thread.0.other, !10, i1 false}
; !12 = !{}
; !13 = !{i64 16}
; !14 = !{!"uniform", !1, i64 16, i64 8, !15}
; !15 = !{!"several", !16}
; !16 = !{ptr @any, !17, !13, !12, i64 1, null}
; !17 = !{!18}
; !18 = !{!19, i1 true, !12}
; !19 = !{ptr @uniform.thread.0, !10, i1 false}
; !20 = !{!"number", !1, i64 16, i64 8, !21}
; !21 = !{!"several", !22}
; !22 = !{ptr @any, !23, !13, !12, i64 1, null}
; !23 = !{!24}
; !24 = !{!25, i1 true, !12}
; !25 = !{ptr @number.thread.0, !10, i1 false}
; !26 = !{!"apart", !1, i64 16, i64 8, !27}
; !27 = !{!"several", !28}
; !28 = !{ptr @any, !29, !13, !12, i64 1, null}
; !29 = !{!30}
; !30 = !{!31, i1 false, !12}
; !31 = !{ptr @apart.thread.0, !10, i1 false}
; !32 = !{!"scattered", !1, i64 16, i64 8, !33}
; !33 = !{!"several", !34}
; !34 = !{ptr @any, !35, !13, !12, i64 1, null}
; !35 = !{!36}
; !36 = !{!37, i1 true, !12}
; !37 = !{ptr @scattered.thread.0, !10, i1 true}
