; A call in a loop becomes a hint at the loop's end; 0 means all iterations, and 1 none. Outside of a loop it has no
; effect. A number that is no constant, or more than 1024, stays and is reported later.
; RUN: offloadc %s --run-pass=mark_unrolled_loops --kernel=k | grep -v "^target"

declare void @__offload_unroll(i32)

define void @k(ptr %out, i32 %n) {
  call void @__offload_unroll(i32 8)
  br label %outer
outer:
  %i = phi i32 [ 0, %0 ], [ %i.next, %end ]
  call void @__offload_unroll(i32 1)
  br label %inner
inner:
  %k = phi i32 [ 0, %outer ], [ %k.next, %inner ]
  call void @__offload_unroll(i32 4)
  store volatile i32 %k, ptr %out
  %k.next = add i32 %k, 1
  %again = icmp ult i32 %k.next, %n
  br i1 %again, label %inner, label %end
end:
  %i.next = add i32 %i, 1
  %more = icmp ult i32 %i.next, %n
  br i1 %more, label %outer, label %last
last:
  %j = phi i32 [ 0, %end ], [ %j.next, %last ]
  call void @__offload_unroll(i32 0)
  store volatile i32 %j, ptr %out
  %j.next = add i32 %j, 1
  %once = icmp ult i32 %j.next, 3
  br i1 %once, label %last, label %done
done:
  ret void
}

define void @kept(i32 %n) {
  call void @__offload_unroll(i32 %n)
  call void @__offload_unroll(i32 1025)
  ret void
}
;;; stdout
;
; declare void @__offload_unroll(i32)
;
; define void @k(ptr %out, i32 %n) {
;   br label %outer
;
; outer:                                            ; preds = %end, %0
;   %i = phi i32 [ 0, %0 ], [ %i.next, %end ]
;   br label %inner
;
; inner:                                            ; preds = %inner, %outer
;   %k = phi i32 [ 0, %outer ], [ %k.next, %inner ]
;   store volatile i32 %k, ptr %out, align 4
;   %k.next = add i32 %k, 1
;   %again = icmp ult i32 %k.next, %n
;   br i1 %again, label %inner, label %end, !llvm.loop !0
;
; end:                                              ; preds = %inner
;   %i.next = add i32 %i, 1
;   %more = icmp ult i32 %i.next, %n
;   br i1 %more, label %outer, label %last.preheader, !llvm.loop !2
;
; last.preheader:                                   ; preds = %end
;   br label %last
;
; last:                                             ; preds = %last.preheader, %last
;   %j = phi i32 [ %j.next, %last ], [ 0, %last.preheader ]
;   store volatile i32 %j, ptr %out, align 4
;   %j.next = add i32 %j, 1
;   %once = icmp ult i32 %j.next, 3
;   br i1 %once, label %last, label %done, !llvm.loop !4
;
; done:                                             ; preds = %last
;   ret void
; }
;
; define void @kept(i32 %n) {
;   call void @__offload_unroll(i32 %n)
;   call void @__offload_unroll(i32 1025)
;   ret void
; }
;
; !0 = distinct !{!0, !1}
; !1 = !{!"llvm.loop.unroll.count", i32 4}
; !2 = distinct !{!2, !3}
; !3 = !{!"llvm.loop.unroll.disable"}
; !4 = distinct !{!4, !5}
; !5 = !{!"llvm.loop.unroll.full"}
