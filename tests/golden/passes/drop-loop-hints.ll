; LLVM's hints about loops are dropped for SPIR-V, which has them from version 1.4 on. Other metadata stays.
; RUN: offloadc %s --run-pass=drop_loop_hints --offload-arch=spirv64 | grep -v "^target"
; RUN[image]: offloadc -w %s --kernel=k --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && spirv-dis k.spv | grep -c OpLoopMerge || true
; FAIL=70@23[without]: offloadc -w %s --kernel=k --offload-arch=spirv64 --without-workaround=drop_loop_hints --emit=image=k.spv

define void @k(ptr %p, i64 %n) {
entry:
  br label %turn
turn:
  %i = phi i64 [ 0, %entry ], [ %j, %turn ]
  store volatile i64 %i, ptr %p
  %j = add i64 %i, 1
  %more = icmp ult i64 %j, %n
  br i1 %more, label %turn, label %end, !prof !2, !llvm.loop !0
end:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.count", i32 2}
!2 = !{!"branch_weights", i32 9, i32 1}
;;; stdout
;
; define void @k(ptr %p, i64 %n) {
; entry:
;   br label %turn
;
; turn:                                             ; preds = %turn, %entry
;   %i = phi i64 [ 0, %entry ], [ %j, %turn ]
;   store volatile i64 %i, ptr %p, align 4
;   %j = add i64 %i, 1
;   %more = icmp ult i64 %j, %n
;   br i1 %more, label %turn, label %end, !prof !0
;
; end:                                              ; preds = %turn
;   ret void
; }
;
; !0 = !{!"branch_weights", i32 9, i32 1}
;;; stdout[image]
; 0
;;; stderr[without]
; error: internal error: cannot make the image for spirv64: the SPIR-V of kernel `k` is not valid: 3rd operand of LoopMerge: operand PartialCount(256) requires SPIR-V version 1.4 or later
;   = note: it goes on:
;             OpLoopMerge %end %turn PartialCount 2
