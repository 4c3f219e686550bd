; Values that depend on the position and the arguments alone are computed once, at the start of a kernel, so that each
; region can compute them again. A load of memory that may change stays in its place, with the values that depend on it,
; and so does a division, which a thread must not execute needlessly.
; RUN: offloadc %s --run-pass=hoist_position --offload-arch=cpu | grep -v "^target"

define internal void @k.thread(ptr %out, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
  %first = load i32, ptr %out
  %is = icmp eq i32 %first, 0
  br i1 %is, label %then, label %end
then:
  %dim = getelementptr inbounds i8, ptr %block, i64 12
  %width = load i32, ptr %dim
  %row = mul i32 %y, %width
  %i = add i32 %row, %x
  %again = mul i32 %y, %width
  %j = add i32 %again, %n
  %more = add i32 %first, %x
  %part = udiv i32 %x, %n
  %a = getelementptr i32, ptr %out, i32 %i
  store i32 %more, ptr %a
  %b = getelementptr i32, ptr %out, i32 %j
  store i32 %part, ptr %b
  br label %end
end:
  ret void
}

!offload.spmd.code = !{!0}
!0 = !{!"k", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"one", !{ptr @k.thread, !{}, i1 false}}}
;;; stdout
;
; define internal void @k.thread(ptr %out, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
; prologue:
;   %0 = getelementptr inbounds i8, ptr %block, i64 12
;   %1 = load i32, ptr %0, align 4
;   %2 = mul i32 %y, %1
;   %3 = add i32 %2, %x
;   %4 = add i32 %2, %n
;   %5 = getelementptr i32, ptr %out, i32 %3
;   %6 = getelementptr i32, ptr %out, i32 %4
;   br label %7
;
; 7:                                                ; preds = %prologue
;   %first = load i32, ptr %out, align 4
;   %is = icmp eq i32 %first, 0
;   br i1 %is, label %then, label %end
;
; then:                                             ; preds = %7
;   %more = add i32 %first, %x
;   %part = udiv i32 %x, %n
;   store i32 %more, ptr %5, align 4
;   store i32 %part, ptr %6, align 4
;   br label %end
;
; end:                                              ; preds = %then, %7
;   ret void
; }
;
; !offload.spmd.code = !{!0}
;
; !0 = !{!"k", !1, i64 16, i64 8, !4}
; !1 = !{!2, !3}
; !2 = !{i64 0, i64 8, ptr poison}
; !3 = !{i64 8, i64 4, i32 poison}
; !4 = !{!"one", !5}
; !5 = !{ptr @k.thread, !6, i1 false}
; !6 = !{}
