; A phi is a selection if the first block computes the condition that decides over it and both values. A phi of a value that
; is computed later stays, and so do the phis of a loop.
; RUN: offloadc %s --run-pass=convert_phis_to_selects --offload-arch=cpu | grep -v "^target"

define internal void @k.thread(ptr %out, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
  %is = icmp ult i32 %x, %n
  %wide = zext i32 %x to i64
  br i1 %is, label %fits, label %join
fits:
  %loaded = load volatile i64, ptr %out
  br label %join
join:
  %known = phi i64 [ %wide, %fits ], [ -1, %0 ]
  %later = phi i64 [ %loaded, %fits ], [ 0, %0 ]
  br label %loop
loop:
  %counter = phi i64 [ %known, %join ], [ %next, %loop ]
  %next = add i64 %counter, %later
  store volatile i64 %next, ptr %out
  %again = icmp ult i64 %next, 100
  br i1 %again, label %loop, label %end
end:
  ret void
}

!offload.spmd.code = !{!0}
!0 = !{!"k", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"one", !{ptr @k.thread, !{}, i1 false}}}
;;; stdout
;
; define internal void @k.thread(ptr %out, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
;   %is = icmp ult i32 %x, %n
;   %wide = zext i32 %x to i64
;   %1 = select i1 %is, i64 %wide, i64 -1
;   br i1 %is, label %fits, label %join
;
; fits:                                             ; preds = %0
;   %loaded = load volatile i64, ptr %out, align 4
;   br label %join
;
; join:                                             ; preds = %fits, %0
;   %later = phi i64 [ %loaded, %fits ], [ 0, %0 ]
;   br label %loop
;
; loop:                                             ; preds = %loop, %join
;   %counter = phi i64 [ %1, %join ], [ %next, %loop ]
;   %next = add i64 %counter, %later
;   store volatile i64 %next, ptr %out, align 4
;   %again = icmp ult i64 %next, 100
;   br i1 %again, label %loop, label %end
;
; end:                                              ; preds = %loop
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
