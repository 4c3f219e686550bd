; An exchange of two numbers in shared memory needs no branch: a thread stores the loaded values if it does not exchange
; them. In memory that another block may own the branch stays. So it does where only one number is stored, where the
; position decides, and around a volatile store.
; RUN: offloadc %s --run-pass=speculate_stores --offload-arch=cpu | grep -v "^target"

define internal void @sort.thread(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z) {
  %place = getelementptr inbounds i8, ptr %block, i64 40
  %shared = load ptr, ptr %place, !invariant.load !9
  %low = getelementptr i32, ptr %shared, i32 %x
  %high = getelementptr i32, ptr %low, i64 64
  %a = load i32, ptr %low
  %b = load i32, ptr %high
  %wrong = icmp ugt i32 %a, %b
  br i1 %wrong, label %exchange, label %end
exchange:
  store i32 %b, ptr %low
  store i32 %a, ptr %high
  br label %end
end:
  ret void
}

define internal void @global.thread(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z) {
  %low = getelementptr i32, ptr %io, i32 %x
  %high = getelementptr i32, ptr %low, i64 64
  %a = load i32, ptr %low
  %b = load i32, ptr %high
  %wrong = icmp ugt i32 %a, %b
  br i1 %wrong, label %exchange, label %end
exchange:
  store i32 %b, ptr %low
  store i32 %a, ptr %high
  br label %end
end:
  ret void
}

define internal void @maximum.thread(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z) {
  %place = getelementptr inbounds i8, ptr %block, i64 40
  %shared = load ptr, ptr %place, !invariant.load !9
  %low = getelementptr i32, ptr %shared, i32 %x
  %high = getelementptr i32, ptr %low, i64 64
  %a = load i32, ptr %low
  %b = load i32, ptr %high
  %wrong = icmp ugt i32 %a, %b
  br i1 %wrong, label %exchange, label %end
exchange:
  store i32 %b, ptr %low
  br label %end
end:
  ret void
}

define internal void @half.thread(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z) {
  %place = getelementptr inbounds i8, ptr %block, i64 40
  %shared = load ptr, ptr %place, !invariant.load !9
  %low = getelementptr i32, ptr %shared, i32 %x
  %high = getelementptr i32, ptr %low, i64 64
  %a = load i32, ptr %low
  %b = load i32, ptr %high
  %wrong = icmp ult i32 %x, 32
  br i1 %wrong, label %exchange, label %end
exchange:
  store i32 %b, ptr %low
  store i32 %a, ptr %high
  br label %end
end:
  ret void
}

define internal void @volatile.thread(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z) {
  %place = getelementptr inbounds i8, ptr %block, i64 40
  %shared = load ptr, ptr %place, !invariant.load !9
  %low = getelementptr i32, ptr %shared, i32 %x
  %high = getelementptr i32, ptr %low, i64 64
  %a = load i32, ptr %low
  %b = load i32, ptr %high
  %wrong = icmp ugt i32 %a, %b
  br i1 %wrong, label %exchange, label %end
exchange:
  store i32 %b, ptr %low
  store volatile i32 %a, ptr %high
  br label %end
end:
  ret void
}

!offload.spmd.code = !{!0, !1, !2, !3, !4}
!0 = !{!"sort", !{!{i64 0, i64 8, ptr poison}}, i64 8, i64 8, !{!"one", !{ptr @sort.thread, !{}, i1 false}}}
!1 = !{!"global", !{!{i64 0, i64 8, ptr poison}}, i64 8, i64 8, !{!"one", !{ptr @global.thread, !{}, i1 false}}}
!2 = !{!"maximum", !{!{i64 0, i64 8, ptr poison}}, i64 8, i64 8, !{!"one", !{ptr @maximum.thread, !{}, i1 false}}}
!3 = !{!"half", !{!{i64 0, i64 8, ptr poison}}, i64 8, i64 8, !{!"one", !{ptr @half.thread, !{}, i1 false}}}
!4 = !{!"volatile", !{!{i64 0, i64 8, ptr poison}}, i64 8, i64 8, !{!"one", !{ptr @volatile.thread, !{}, i1 false}}}
!9 = !{}
;;; stdout
;
; define internal void @sort.thread(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z) {
;   %place = getelementptr inbounds i8, ptr %block, i64 40
;   %shared = load ptr, ptr %place, align 8, !invariant.load !5
;   %low = getelementptr i32, ptr %shared, i32 %x
;   %high = getelementptr i32, ptr %low, i64 64
;   %a = load i32, ptr %low, align 4
;   %b = load i32, ptr %high, align 4
;   %wrong = icmp ugt i32 %a, %b
;   %1 = select i1 %wrong, i32 %b, i32 %a
;   store i32 %1, ptr %low, align 4
;   %2 = select i1 %wrong, i32 %a, i32 %b
;   store i32 %2, ptr %high, align 4
;   br label %end
;
; end:                                              ; preds = %0
;   ret void
; }
;
; define internal void @global.thread(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z) {
;   %low = getelementptr i32, ptr %io, i32 %x
;   %high = getelementptr i32, ptr %low, i64 64
;   %a = load i32, ptr %low, align 4
;   %b = load i32, ptr %high, align 4
;   %wrong = icmp ugt i32 %a, %b
;   br i1 %wrong, label %exchange, label %end
;
; exchange:                                         ; preds = %0
;   store i32 %b, ptr %low, align 4
;   store i32 %a, ptr %high, align 4
;   br label %end
;
; end:                                              ; preds = %exchange, %0
;   ret void
; }
;
; define internal void @maximum.thread(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z) {
;   %place = getelementptr inbounds i8, ptr %block, i64 40
;   %shared = load ptr, ptr %place, align 8, !invariant.load !5
;   %low = getelementptr i32, ptr %shared, i32 %x
;   %high = getelementptr i32, ptr %low, i64 64
;   %a = load i32, ptr %low, align 4
;   %b = load i32, ptr %high, align 4
;   %wrong = icmp ugt i32 %a, %b
;   br i1 %wrong, label %exchange, label %end
;
; exchange:                                         ; preds = %0
;   store i32 %b, ptr %low, align 4
;   br label %end
;
; end:                                              ; preds = %exchange, %0
;   ret void
; }
;
; define internal void @half.thread(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z) {
;   %place = getelementptr inbounds i8, ptr %block, i64 40
;   %shared = load ptr, ptr %place, align 8, !invariant.load !5
;   %low = getelementptr i32, ptr %shared, i32 %x
;   %high = getelementptr i32, ptr %low, i64 64
;   %a = load i32, ptr %low, align 4
;   %b = load i32, ptr %high, align 4
;   %wrong = icmp ult i32 %x, 32
;   br i1 %wrong, label %exchange, label %end
;
; exchange:                                         ; preds = %0
;   store i32 %b, ptr %low, align 4
;   store i32 %a, ptr %high, align 4
;   br label %end
;
; end:                                              ; preds = %exchange, %0
;   ret void
; }
;
; define internal void @volatile.thread(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z) {
;   %place = getelementptr inbounds i8, ptr %block, i64 40
;   %shared = load ptr, ptr %place, align 8, !invariant.load !5
;   %low = getelementptr i32, ptr %shared, i32 %x
;   %high = getelementptr i32, ptr %low, i64 64
;   %a = load i32, ptr %low, align 4
;   %b = load i32, ptr %high, align 4
;   %wrong = icmp ugt i32 %a, %b
;   br i1 %wrong, label %exchange, label %end
;
; exchange:                                         ; preds = %0
;   store i32 %b, ptr %low, align 4
;   store volatile i32 %a, ptr %high, align 4
;   br label %end
;
; end:                                              ; preds = %exchange, %0
;   ret void
; }
;
; !offload.spmd.code = !{!0, !6, !9, !12, !15}
;
; !0 = !{!"sort", !1, i64 8, i64 8, !3}
; !1 = !{!2}
; !2 = !{i64 0, i64 8, ptr poison}
; !3 = !{!"one", !4}
; !4 = !{ptr @sort.thread, !5, i1 false}
; !5 = !{}
; !6 = !{!"global", !1, i64 8, i64 8, !7}
; !7 = !{!"one", !8}
; !8 = !{ptr @global.thread, !5, i1 false}
; !9 = !{!"maximum", !1, i64 8, i64 8, !10}
; !10 = !{!"one", !11}
; !11 = !{ptr @maximum.thread, !5, i1 false}
; !12 = !{!"half", !1, i64 8, i64 8, !13}
; !13 = !{!"one", !14}
; !14 = !{ptr @half.thread, !5, i1 false}
; !15 = !{!"volatile", !1, i64 8, i64 8, !16}
; !16 = !{!"one", !17}
; !17 = !{ptr @volatile.thread, !5, i1 false}
