; A load from one address for all threads of a block, before they write anything, is done before the loop over the
; threads: the region receives the value, and a function loads it. A load from a place of the thread stays, and so does
; one after a store, after a branch, and in a kernel whose threads may stop at different places.
; RUN: offloadc %s --run-pass=hoist_uniform_loads --offload-arch=cpu | grep -v "^target"

define internal i32 @any(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  ret i32 0
}

define internal i32 @first.thread.0(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %i = zext i32 %x to i64
  %own = getelementptr float, ptr %io, i64 %i
  %all = load float, ptr %io
  %mine = load float, ptr %own
  %product = fmul float %all, %mine
  store float %product, ptr %own
  %behind = load float, ptr %io
  store float %behind, ptr %own
  %is = icmp eq i32 %x, 0
  br i1 %is, label %then, label %end
then:
  %later = load float, ptr %io
  store float %later, ptr %own
  br label %end
end:
  ret i32 0
}

define internal i32 @apart.thread.0(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %i = zext i32 %x to i64
  %own = getelementptr float, ptr %io, i64 %i
  %all = load float, ptr %io
  store float %all, ptr %own
  ret i32 0
}

!offload.spmd.code = !{!0, !1}
!0 = !{!"first", !{!{i64 0, i64 8, ptr poison}}, i64 8, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @first.thread.0, !{i64 0}, i1 false}, i1 true, !{}}}, !{i64 16}, !{}, i64 1, null}}}
!1 = !{!"apart", !{!{i64 0, i64 8, ptr poison}}, i64 8, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @apart.thread.0, !{i64 0}, i1 false}, i1 false, !{}}}, !{i64 16}, !{}, i64 1, null}}}
;;; stdout
;
; define internal i32 @any(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   ret i32 0
; }
;
; define internal i32 @first.thread.0(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region, float %0) {
;   %i = zext i32 %x to i64
;   %own = getelementptr float, ptr %io, i64 %i
;   %mine = load float, ptr %own, align 4
;   %product = fmul float %0, %mine
;   store float %product, ptr %own, align 4
;   %behind = load float, ptr %io, align 4
;   store float %behind, ptr %own, align 4
;   %is = icmp eq i32 %x, 0
;   br i1 %is, label %then, label %end
;
; then:                                             ; preds = %1
;   %later = load float, ptr %io, align 4
;   store float %later, ptr %own, align 4
;   br label %end
;
; end:                                              ; preds = %then, %1
;   ret i32 0
; }
;
; define internal i32 @apart.thread.0(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %i = zext i32 %x to i64
;   %own = getelementptr float, ptr %io, i64 %i
;   %all = load float, ptr %io, align 4
;   store float %all, ptr %own, align 4
;   ret i32 0
; }
;
; define internal float @first.thread.0.load0(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %i = zext i32 %x to i64
;   %own = getelementptr float, ptr %io, i64 %i
;   %all = load float, ptr %io, align 4
;   ret float %all
; }
;
; !offload.spmd.code = !{!0, !13}
;
; !0 = !{!"first", !1, i64 8, i64 8, !3}
; !1 = !{!2}
; !2 = !{i64 0, i64 8, ptr poison}
; !3 = !{!"several", !4}
; !4 = !{ptr @any, !5, !11, !12, i64 1, null}
; !5 = !{!6}
; !6 = !{!7, i1 true, !9}
; !7 = !{ptr @first.thread.0, !8, i1 false}
; !8 = !{i64 0}
; !9 = !{!10}
; !10 = !{ptr @first.thread.0.load0, float poison}
; !11 = !{i64 16}
; !12 = !{}
; !13 = !{!"apart", !1, i64 8, i64 8, !14}
; !14 = !{!"several", !15}
; !15 = !{ptr @any, !16, !11, !12, i64 1, null}
; !16 = !{!17}
; !17 = !{!18, i1 false, !12}
; !18 = !{ptr @apart.thread.0, !8, i1 false}
