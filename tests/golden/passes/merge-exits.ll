; A loop that leaves for one block from its first block and from its last one has one exit, if the first block does
; nothing but decide, and the results are those with which it would leave next. A loop with a load in its first block, and
; one with other results, remain. A condition that is true at the start needs no branch there.
; RUN: offloadc %s --run-pass=merge_exits --offload-arch=sm_80 --kernel=k | grep -v "^target"

define void @k(ptr %out, i32 %limit, float %x, i32 %n) {
entry:
  br label %loop
loop:
  %count = phi i32 [ 0, %entry ], [ %more, %body ]
  %a = phi float [ 0.0, %entry ], [ %next, %body ]
  %square = fmul float %a, %a
  %small = fcmp olt float %square, 4.0
  br i1 %small, label %body, label %done
body:
  %next = fadd float %square, %x
  store float %next, ptr %out
  %more = add nuw i32 %count, 1
  %ends = icmp eq i32 %more, %limit
  br i1 %ends, label %done, label %loop, !llvm.loop !0
done:
  %result = phi i32 [ %count, %loop ], [ %limit, %body ]
  store i32 %result, ptr %out
  br label %any
any:
  %i = phi i32 [ %n, %done ], [ %j, %some ]
  %odd = and i32 %i, 5
  %is.odd = icmp eq i32 %odd, 5
  br i1 %is.odd, label %other, label %some
some:
  store i32 %odd, ptr %out
  %j = mul i32 %i, 3
  %goes = icmp ult i32 %j, %limit
  br i1 %goes, label %any, label %other
other:
  br label %read
read:
  %l = phi i32 [ 0, %other ], [ %m, %found ]
  %at = getelementptr i32, ptr %out, i32 %l
  %read.value = load i32, ptr %at
  %is = icmp eq i32 %read.value, 0
  br i1 %is, label %seen, label %found
found:
  %m = add i32 %l, 1
  %again = icmp ult i32 %m, %n
  br i1 %again, label %read, label %seen
seen:
  br label %differs
differs:
  %p = phi i32 [ 0, %seen ], [ %q, %bigger ]
  %r = and i32 %p, %n
  %few = icmp eq i32 %r, 7
  br i1 %few, label %end, label %bigger
bigger:
  store i32 %p, ptr %out
  %q = add i32 %p, 1
  %below = icmp ult i32 %q, %limit
  br i1 %below, label %differs, label %end
end:
  %last = phi i32 [ %p, %differs ], [ %limit, %bigger ]
  store i32 %last, ptr %out
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"}
;;; stdout
;
; define void @k(ptr %out, i32 %limit, float %x, i32 %n) {
; entry:
;   br label %loop
;
; loop:                                             ; preds = %loop, %entry
;   %square3 = phi float [ 0.000000e+00, %entry ], [ %square1, %loop ]
;   %count = phi i32 [ 0, %entry ], [ %more, %loop ]
;   %a = phi float [ 0.000000e+00, %entry ], [ %next, %loop ]
;   %next = fadd float %square3, %x
;   store float %next, ptr %out, align 4
;   %more = add nuw i32 %count, 1
;   %ends = icmp eq i32 %more, %limit
;   %square1 = fmul float %next, %next
;   %small2 = fcmp olt float %square1, 4.000000e+00
;   %0 = xor i1 %ends, true
;   %1 = select i1 %0, i1 %small2, i1 false
;   br i1 %1, label %loop, label %done, !llvm.loop !0
;
; done:                                             ; preds = %loop
;   %result = phi i32 [ %more, %loop ]
;   store i32 %result, ptr %out, align 4
;   %odd5 = and i32 %n, 5
;   %is.odd6 = icmp eq i32 %odd5, 5
;   %2 = xor i1 %is.odd6, true
;   br i1 %2, label %any, label %other
;
; any:                                              ; preds = %any, %done
;   %odd9 = phi i32 [ %odd5, %done ], [ %odd7, %any ]
;   %i = phi i32 [ %n, %done ], [ %j, %any ]
;   store i32 %odd9, ptr %out, align 4
;   %j = mul i32 %i, 3
;   %goes = icmp ult i32 %j, %limit
;   %odd7 = and i32 %j, 5
;   %is.odd8 = icmp eq i32 %odd7, 5
;   %3 = xor i1 %is.odd8, true
;   %4 = select i1 %goes, i1 %3, i1 false
;   br i1 %4, label %any, label %other
;
; other:                                            ; preds = %any, %done
;   br label %read
;
; read:                                             ; preds = %found, %other
;   %l = phi i32 [ 0, %other ], [ %m, %found ]
;   %at = getelementptr i32, ptr %out, i32 %l
;   %read.value = load i32, ptr %at, align 4
;   %is = icmp eq i32 %read.value, 0
;   br i1 %is, label %seen, label %found
;
; found:                                            ; preds = %read
;   %m = add i32 %l, 1
;   %again = icmp ult i32 %m, %n
;   br i1 %again, label %read, label %seen
;
; seen:                                             ; preds = %found, %read
;   br label %differs
;
; differs:                                          ; preds = %bigger, %seen
;   %p = phi i32 [ 0, %seen ], [ %q, %bigger ]
;   %r = and i32 %p, %n
;   %few = icmp eq i32 %r, 7
;   br i1 %few, label %end, label %bigger
;
; bigger:                                           ; preds = %differs
;   store i32 %p, ptr %out, align 4
;   %q = add i32 %p, 1
;   %below = icmp ult i32 %q, %limit
;   br i1 %below, label %differs, label %end
;
; end:                                              ; preds = %bigger, %differs
;   %last = phi i32 [ %p, %differs ], [ %limit, %bigger ]
;   store i32 %last, ptr %out, align 4
;   ret void
; }
;
; !0 = distinct !{!0, !1}
; !1 = !{!"llvm.loop.mustprogress"}
