; A kernel with a barrier becomes two regions, and a value that lives across the barrier has a slot: here the sum, and not the
; place, which each region computes again. The quotient, which is the same in all threads, has one cell, whose value the second
; region receives. An iteration of a grid-stride loop is a region, too. A kernel without stops is left alone.
; RUN: offloadc %s --run-pass=split_regions --offload-arch=cpu | grep -v "^target"

declare void @__offload_sync_threads()

define internal void @two.thread(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
  %i = zext i32 %x to i64
  %place = getelementptr i32, ptr %io, i64 %i
  %a = load i32, ptr %place
  %third = udiv i32 %n, 3
  %sum = add i32 %a, %third
  call void @__offload_sync_threads()
  %twice = mul i32 %sum, %third
  store i32 %twice, ptr %place
  ret void
}

define internal void @strided.thread(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
  %i = zext i32 %x to i64
  %dim = load i32, ptr %block
  %stride = zext i32 %dim to i64
  br label %loop
loop:
  %k = phi i64 [ %i, %0 ], [ %next, %loop ]
  %place = getelementptr i32, ptr %io, i64 %k
  store i32 %x, ptr %place
  %next = add i64 %k, %stride
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}

define internal void @none.thread(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z) {
  %place = getelementptr i32, ptr %io, i32 %x
  store i32 %x, ptr %place
  ret void
}

!offload.spmd.code = !{!0, !1, !2}
!0 = !{!"two", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"one", !{ptr @two.thread, !{}, i1 false}}}
!1 = !{!"strided", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 8, i64 poison}}, i64 16, i64 8, !{!"one", !{ptr @strided.thread, !{}, i1 false}}}
!2 = !{!"none", !{!{i64 0, i64 8, ptr poison}}, i64 8, i64 8, !{!"one", !{ptr @none.thread, !{}, i1 false}}}
;;; stdout
;
; declare void @__offload_sync_threads()
;
; ; Function Attrs: noinline
; define internal i32 @two.thread(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %0, i64 %1, i64 %2, i32 %3) #0 {
; prologue:
;   %4 = mul i64 %1, 0
;   %5 = mul i64 %2, 4
;   %6 = getelementptr inbounds i8, ptr %0, i64 %4
;   %slot = getelementptr inbounds i8, ptr %6, i64 %5
;   %7 = mul i64 %1, 4
;   %8 = mul i64 %2, 4
;   %9 = getelementptr inbounds i8, ptr %0, i64 %7
;   %10 = zext i32 %x to i64
;   %11 = getelementptr i32, ptr %io, i64 %10
;   switch i32 %3, label %12 [
;     i32 1, label %behind
;   ]
;
; 12:                                               ; preds = %prologue
;   %a = load i32, ptr %11, align 4
;   %third = udiv i32 %n, 3
;   store i32 %third, ptr %9, align 4
;   %third.reload1 = load i32, ptr %9, align 4
;   %sum = add i32 %a, %third.reload1
;   store i32 %sum, ptr %slot, align 4
;   ret i32 1
;
; behind:                                           ; preds = %prologue
;   %third.reload = load i32, ptr %9, align 4
;   %sum.reload = load i32, ptr %slot, align 4
;   %twice = mul i32 %sum.reload, %third.reload
;   store i32 %twice, ptr %11, align 4
;   ret i32 0
; }
;
; ; Function Attrs: noinline
; define internal i32 @strided.thread(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %0, i64 %1, i64 %2, i32 %3) #0 {
; prologue:
;   %4 = mul i64 %1, 0
;   %5 = mul i64 %2, 8
;   %6 = getelementptr inbounds i8, ptr %0, i64 %4
;   %slot = getelementptr inbounds i8, ptr %6, i64 %5
;   %7 = zext i32 %x to i64
;   %8 = load i32, ptr %block, align 4
;   %9 = zext i32 %8 to i64
;   switch i32 %3, label %10 [
;     i32 1, label %behind
;   ]
;
; 10:                                               ; preds = %prologue
;   br label %loop
;
; loop:                                             ; preds = %behind, %10
;   %k = phi i64 [ %7, %10 ], [ %next, %behind ]
;   store i64 %k, ptr %slot, align 8
;   ret i32 1
;
; behind:                                           ; preds = %prologue
;   %k.reload1 = load i64, ptr %slot, align 8
;   %place = getelementptr i32, ptr %io, i64 %k.reload1
;   store i32 %x, ptr %place, align 4
;   %k.reload = load i64, ptr %slot, align 8
;   %next = add i64 %k.reload, %9
;   %more = icmp ult i64 %next, %n
;   br i1 %more, label %loop, label %end
;
; end:                                              ; preds = %behind
;   ret i32 0
; }
;
; define internal void @none.thread(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z) {
;   %place = getelementptr i32, ptr %io, i32 %x
;   store i32 %x, ptr %place, align 4
;   ret void
; }
;
; declare void @offload.spmd.iteration()
;
; define internal i32 @two.thread.0(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %0, i64 %1, i64 %2, i32 %3, i32 %4) {
; prologue:
;   %5 = alloca i32, align 4
;   store i32 %4, ptr %5, align 4
;   %6 = mul i64 %2, 4
;   %slot = getelementptr inbounds i8, ptr %0, i64 %6
;   %7 = mul i64 %1, 4
;   %8 = getelementptr inbounds i8, ptr %0, i64 %7
;   %9 = zext i32 %x to i64
;   %10 = getelementptr i32, ptr %io, i64 %9
;   br label %11
;
; 11:                                               ; preds = %prologue
;   %a = load i32, ptr %10, align 4
;   %third = udiv i32 %n, 3
;   store i32 %third, ptr %5, align 4
;   %third.reload1 = load i32, ptr %5, align 4
;   %sum = add i32 %a, %third.reload1
;   store i32 %sum, ptr %slot, align 4
;   %12 = load i32, ptr %5, align 4
;   store i32 %12, ptr %8, align 4
;   ret i32 1
; }
;
; define internal i32 @two.thread.1(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %0, i64 %1, i64 %2, i32 %3, i32 %4) {
; prologue:
;   %5 = alloca i32, align 4
;   store i32 %4, ptr %5, align 4
;   %6 = mul i64 %2, 4
;   %slot = getelementptr inbounds i8, ptr %0, i64 %6
;   %7 = mul i64 %1, 4
;   %8 = getelementptr inbounds i8, ptr %0, i64 %7
;   %9 = zext i32 %x to i64
;   %10 = getelementptr i32, ptr %io, i64 %9
;   br label %behind
;
; behind:                                           ; preds = %prologue
;   %third.reload = load i32, ptr %5, align 4
;   %sum.reload = load i32, ptr %slot, align 4
;   %twice = mul i32 %sum.reload, %third.reload
;   store i32 %twice, ptr %10, align 4
;   ret i32 0
; }
;
; define internal i32 @strided.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %0, i64 %1, i64 %2, i32 %3) {
; prologue:
;   %4 = mul i64 %2, 8
;   %slot = getelementptr inbounds i8, ptr %0, i64 %4
;   %5 = zext i32 %x to i64
;   br label %6
;
; 6:                                                ; preds = %prologue
;   br label %loop
;
; loop:                                             ; preds = %6
;   store i64 %5, ptr %slot, align 8
;   ret i32 1
; }
;
; define internal i32 @strided.thread.1(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %0, i64 %1, i64 %2, i32 %3) {
; prologue:
;   %4 = mul i64 %2, 8
;   %slot = getelementptr inbounds i8, ptr %0, i64 %4
;   %5 = load i32, ptr %block, align 4
;   %6 = zext i32 %5 to i64
;   br label %behind
;
; loop:                                             ; preds = %behind
;   store i64 %next, ptr %slot, align 8
;   ret i32 1
;
; behind:                                           ; preds = %prologue
;   %k.reload1 = load i64, ptr %slot, align 8
;   %place = getelementptr i32, ptr %io, i64 %k.reload1
;   store i32 %x, ptr %place, align 4
;   %k.reload = load i64, ptr %slot, align 8
;   %next = add i64 %k.reload, %6
;   %more = icmp ult i64 %next, %n
;   br i1 %more, label %loop, label %end
;
; end:                                              ; preds = %behind
;   ret i32 0
; }
;
; attributes #0 = { noinline }
;
; !offload.spmd.code = !{!0, !20, !35}
;
; !0 = !{!"two", !1, i64 16, i64 8, !4}
; !1 = !{!2, !3}
; !2 = !{i64 0, i64 8, ptr poison}
; !3 = !{i64 8, i64 4, i32 poison}
; !4 = !{!"several", !5}
; !5 = !{ptr @two.thread, !6, !15, !16, i64 1, null}
; !6 = !{!7, !12}
; !7 = !{!8, i1 true, !10}
; !8 = !{ptr @two.thread.0, !9, i1 false}
; !9 = !{i64 1}
; !10 = !{!11}
; !11 = !{i64 4, i32 poison}
; !12 = !{!13, i1 true, !10}
; !13 = !{ptr @two.thread.1, !14, i1 false}
; !14 = !{i64 0}
; !15 = !{i64 8}
; !16 = !{!17, !19}
; !17 = !{i64 4, i32 poison, !18}
; !18 = !{!"certain", i64 0}
; !19 = !{i64 0, i32 poison, null}
; !20 = !{!"strided", !21, i64 16, i64 8, !23}
; !21 = !{!2, !22}
; !22 = !{i64 8, i64 8, i64 poison}
; !23 = !{!"several", !24}
; !24 = !{ptr @strided.thread, !25, !15, !32, i64 0, null}
; !25 = !{!26, !29}
; !26 = !{!27, i1 true, !28}
; !27 = !{ptr @strided.thread.0, !9, i1 false}
; !28 = !{}
; !29 = !{!30, i1 false, !28}
; !30 = !{ptr @strided.thread.1, !31, i1 false}
; !31 = !{i64 0, i64 1}
; !32 = !{!33}
; !33 = !{i64 0, i64 poison, !34}
; !34 = !{!"certain", i64 1}
; !35 = !{!"none", !36, i64 8, i64 8, !37}
; !36 = !{!2}
; !37 = !{!"one", !38}
; !38 = !{ptr @none.thread, !28, i1 false}
