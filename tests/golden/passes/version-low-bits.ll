; A region whose addresses depend on `x & (distance - 1)` becomes five: for distances that are multiples of 8, in which the low bits
; of the mask are known to be ones, for 1, 2 and 4, which are constants, and for the others. A mask that is a constant or that
; differs between threads, an operation on which no address depends, and a region whose threads may stop at different places are
; left alone.
; RUN: offloadc %s --run-pass=version_low_bits --offload-arch=cpu | grep -v "^target"

define internal i32 @any(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  ret i32 0
}

define internal i32 @masked.thread.0(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %i = zext i32 %x to i64
  %mask = add i64 %distance, -1
  %part = and i64 %mask, %i
  %from = getelementptr i32, ptr %io, i64 %part
  %a = load i32, ptr %from
  store i32 %a, ptr %io
  ret i32 0
}

define internal i32 @constant.thread.0(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %i = zext i32 %x to i64
  %mask = add i64 %distance, -1
  %part = and i64 %i, 7
  %from = getelementptr i32, ptr %io, i64 %part
  %a = load i32, ptr %from
  store i32 %a, ptr %io
  ret i32 0
}

define internal i32 @varying.thread.0(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %i = zext i32 %x to i64
  %mask = add i64 %distance, -1
  %wide = zext i32 %y to i64
  %part = and i64 %i, %wide
  %from = getelementptr i32, ptr %io, i64 %part
  %a = load i32, ptr %from
  store i32 %a, ptr %io
  ret i32 0
}

define internal i32 @value.thread.0(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %i = zext i32 %x to i64
  %mask = add i64 %distance, -1
  %value = and i64 %mask, %i
  store i64 %value, ptr %io
  %part = add i64 %i, %distance
  %from = getelementptr i32, ptr %io, i64 %part
  %a = load i32, ptr %from
  store i32 %a, ptr %io
  ret i32 0
}

define internal i32 @apart.thread.0(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %i = zext i32 %x to i64
  %mask = add i64 %distance, -1
  %part = and i64 %mask, %i
  %from = getelementptr i32, ptr %io, i64 %part
  %a = load i32, ptr %from
  store i32 %a, ptr %io
  ret i32 0
}

!offload.spmd.code = !{!0, !1, !2, !3, !4}
!0 = !{!"masked", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 8, i64 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @masked.thread.0, !{i64 0}, i1 false}, i1 true, !{}}}, !{i64 16}, !{}, i64 1, null}}}
!1 = !{!"constant", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 8, i64 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @constant.thread.0, !{i64 0}, i1 false}, i1 true, !{}}}, !{i64 16}, !{}, i64 1, null}}}
!2 = !{!"varying", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 8, i64 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @varying.thread.0, !{i64 0}, i1 false}, i1 true, !{}}}, !{i64 16}, !{}, i64 1, null}}}
!3 = !{!"value", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 8, i64 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @value.thread.0, !{i64 0}, i1 false}, i1 true, !{}}}, !{i64 16}, !{}, i64 1, null}}}
!4 = !{!"apart", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 8, i64 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @apart.thread.0, !{i64 0}, i1 false}, i1 false, !{}}}, !{i64 16}, !{}, i64 1, null}}}
;;; stdout
;
; define internal i32 @any(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   ret i32 0
; }
;
; define internal i32 @masked.thread.0(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
; prologue:
;   %0 = zext i32 %x to i64
;   %1 = add i64 %distance, -1
;   %2 = and i64 %1, %0
;   %3 = getelementptr i32, ptr %io, i64 %2
;   br label %4
;
; 4:                                                ; preds = %prologue
;   %a = load i32, ptr %3, align 4
;   store i32 %a, ptr %io, align 4
;   ret i32 0
; }
;
; define internal i32 @constant.thread.0(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %i = zext i32 %x to i64
;   %mask = add i64 %distance, -1
;   %part = and i64 %i, 7
;   %from = getelementptr i32, ptr %io, i64 %part
;   %a = load i32, ptr %from, align 4
;   store i32 %a, ptr %io, align 4
;   ret i32 0
; }
;
; define internal i32 @varying.thread.0(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
; prologue:
;   %0 = zext i32 %x to i64
;   %1 = add i64 %distance, -1
;   %2 = zext i32 %y to i64
;   %3 = and i64 %0, %2
;   %4 = getelementptr i32, ptr %io, i64 %3
;   br label %5
;
; 5:                                                ; preds = %prologue
;   %a = load i32, ptr %4, align 4
;   store i32 %a, ptr %io, align 4
;   ret i32 0
; }
;
; define internal i32 @value.thread.0(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
; prologue:
;   %0 = zext i32 %x to i64
;   %1 = add i64 %distance, -1
;   %2 = and i64 %1, %0
;   %3 = add i64 %0, %distance
;   %4 = getelementptr i32, ptr %io, i64 %3
;   br label %5
;
; 5:                                                ; preds = %prologue
;   store i64 %2, ptr %io, align 4
;   %a = load i32, ptr %4, align 4
;   store i32 %a, ptr %io, align 4
;   ret i32 0
; }
;
; define internal i32 @apart.thread.0(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %i = zext i32 %x to i64
;   %mask = add i64 %distance, -1
;   %part = and i64 %mask, %i
;   %from = getelementptr i32, ptr %io, i64 %part
;   %a = load i32, ptr %from, align 4
;   store i32 %a, ptr %io, align 4
;   ret i32 0
; }
;
; define internal i32 @masked.thread.0.aligned(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
; prologue:
;   %0 = zext i32 %x to i64
;   %1 = add i64 %distance, -1
;   %2 = or i64 %1, 7
;   %3 = and i64 %0, %2
;   %4 = getelementptr i32, ptr %io, i64 %3
;   br label %5
;
; 5:                                                ; preds = %prologue
;   %a = load i32, ptr %4, align 4
;   store i32 %a, ptr %io, align 4
;   ret i32 0
; }
;
; define internal i32 @masked.thread.0.other(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
; prologue:
;   %0 = zext i32 %x to i64
;   %1 = add i64 %distance, -1
;   %2 = and i64 %1, %0
;   %3 = getelementptr i32, ptr %io, i64 %2
;   br label %4
;
; 4:                                                ; preds = %prologue
;   %a = load i32, ptr %3, align 4
;   store i32 %a, ptr %io, align 4
;   ret i32 0
; }
;
; define internal i1 @masked.thread.0.decide(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
; prologue:
;   %0 = add i64 %distance, -1
;   %1 = and i64 %0, 7
;   %2 = icmp eq i64 %1, 7
;   %3 = freeze i1 %2
;   ret i1 %3
; }
;
; define internal i32 @masked.thread.0.other.by1(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
; prologue:
;   %0 = zext i32 %x to i64
;   %1 = add i64 1, -1
;   %2 = and i64 %0, %1
;   %3 = getelementptr i32, ptr %io, i64 %2
;   br label %4
;
; 4:                                                ; preds = %prologue
;   %a = load i32, ptr %3, align 4
;   store i32 %a, ptr %io, align 4
;   ret i32 0
; }
;
; define internal i32 @masked.thread.0.other.more(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
; prologue:
;   %0 = zext i32 %x to i64
;   %1 = add i64 %distance, -1
;   %2 = and i64 %1, %0
;   %3 = getelementptr i32, ptr %io, i64 %2
;   br label %4
;
; 4:                                                ; preds = %prologue
;   %a = load i32, ptr %3, align 4
;   store i32 %a, ptr %io, align 4
;   ret i32 0
; }
;
; define internal i1 @masked.thread.0.other.decide(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
; prologue:
;   %0 = icmp eq i64 %distance, 1
;   %1 = freeze i1 %0
;   ret i1 %1
; }
;
; define internal i32 @masked.thread.0.other.more.by2(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
; prologue:
;   %0 = zext i32 %x to i64
;   %1 = add i64 2, -1
;   %2 = and i64 %0, %1
;   %3 = getelementptr i32, ptr %io, i64 %2
;   br label %4
;
; 4:                                                ; preds = %prologue
;   %a = load i32, ptr %3, align 4
;   store i32 %a, ptr %io, align 4
;   ret i32 0
; }
;
; define internal i32 @masked.thread.0.other.more.more(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
; prologue:
;   %0 = zext i32 %x to i64
;   %1 = add i64 %distance, -1
;   %2 = and i64 %1, %0
;   %3 = getelementptr i32, ptr %io, i64 %2
;   br label %4
;
; 4:                                                ; preds = %prologue
;   %a = load i32, ptr %3, align 4
;   store i32 %a, ptr %io, align 4
;   ret i32 0
; }
;
; define internal i1 @masked.thread.0.other.more.decide(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
; prologue:
;   %0 = icmp eq i64 %distance, 2
;   %1 = freeze i1 %0
;   ret i1 %1
; }
;
; define internal i32 @masked.thread.0.other.more.more.by4(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
; prologue:
;   %0 = zext i32 %x to i64
;   %1 = add i64 4, -1
;   %2 = and i64 %0, %1
;   %3 = getelementptr i32, ptr %io, i64 %2
;   br label %4
;
; 4:                                                ; preds = %prologue
;   %a = load i32, ptr %3, align 4
;   store i32 %a, ptr %io, align 4
;   ret i32 0
; }
;
; define internal i32 @masked.thread.0.other.more.more.more(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
; prologue:
;   %0 = zext i32 %x to i64
;   %1 = add i64 %distance, -1
;   %2 = and i64 %1, %0
;   %3 = getelementptr i32, ptr %io, i64 %2
;   br label %4
;
; 4:                                                ; preds = %prologue
;   %a = load i32, ptr %3, align 4
;   store i32 %a, ptr %io, align 4
;   ret i32 0
; }
;
; define internal i1 @masked.thread.0.other.more.more.decide(ptr %io, i64 %distance, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
; prologue:
;   %0 = icmp eq i64 %distance, 4
;   %1 = freeze i1 %0
;   ret i1 %1
; }
;
; !offload.spmd.code = !{!0, !20, !26, !32, !38}
;
; !0 = !{!"masked", !1, i64 16, i64 8, !4}
; !1 = !{!2, !3}
; !2 = !{i64 0, i64 8, ptr poison}
; !3 = !{i64 8, i64 8, i64 poison}
; !4 = !{!"several", !5}
; !5 = !{ptr @any, !6, !19, !18, i64 1, null}
; !6 = !{!7}
; !7 = !{!8, i1 true, !18}
; !8 = !{!"block", ptr @masked.thread.0.decide, !9, !11}
; !9 = !{ptr @masked.thread.0.aligned, !10, i1 false}
; !10 = !{i64 0}
; !11 = !{!"block", ptr @masked.thread.0.other.decide, !12, !13}
; !12 = !{ptr @masked.thread.0.other.by1, !10, i1 false}
; !13 = !{!"block", ptr @masked.thread.0.other.more.decide, !14, !15}
; !14 = !{ptr @masked.thread.0.other.more.by2, !10, i1 false}
; !15 = !{!"block", ptr @masked.thread.0.other.more.more.decide, !16, !17}
; !16 = !{ptr @masked.thread.0.other.more.more.by4, !10, i1 false}
; !17 = !{ptr @masked.thread.0.other.more.more.more, !10, i1 true}
; !18 = !{}
; !19 = !{i64 16}
; !20 = !{!"constant", !1, i64 16, i64 8, !21}
; !21 = !{!"several", !22}
; !22 = !{ptr @any, !23, !19, !18, i64 1, null}
; !23 = !{!24}
; !24 = !{!25, i1 true, !18}
; !25 = !{ptr @constant.thread.0, !10, i1 false}
; !26 = !{!"varying", !1, i64 16, i64 8, !27}
; !27 = !{!"several", !28}
; !28 = !{ptr @any, !29, !19, !18, i64 1, null}
; !29 = !{!30}
; !30 = !{!31, i1 true, !18}
; !31 = !{ptr @varying.thread.0, !10, i1 false}
; !32 = !{!"value", !1, i64 16, i64 8, !33}
; !33 = !{!"several", !34}
; !34 = !{ptr @any, !35, !19, !18, i64 1, null}
; !35 = !{!36}
; !36 = !{!37, i1 true, !18}
; !37 = !{ptr @value.thread.0, !10, i1 false}
; !38 = !{!"apart", !1, i64 16, i64 8, !39}
; !39 = !{!"several", !40}
; !40 = !{ptr @any, !41, !19, !18, i64 1, null}
; !41 = !{!42}
; !42 = !{!43, i1 false, !18}
; !43 = !{ptr @apart.thread.0, !10, i1 false}
