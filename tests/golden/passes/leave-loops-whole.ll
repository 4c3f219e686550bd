; A loop around the empty assembly of merged barriers gets the hint that forbids unrolling, and the assembly is removed.
; A loop without it gets none.
; RUN: offloadc %s --run-pass=leave_loops_whole --offload-arch=spirv64 | grep -v "^target"

define void @f(i32 %n) {
entry:
  br label %whole
whole:
  %i = phi i32 [ 0, %entry ], [ %i1, %whole ]
  call void asm sideeffect "", ""() convergent
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, %n
  br i1 %more, label %whole, label %free
free:
  %k = phi i32 [ 0, %whole ], [ %k1, %free ]
  %k1 = add i32 %k, 1
  %again = icmp ult i32 %k1, %n
  br i1 %again, label %free, label %end
end:
  ret void
}
;;; stdout
;
; define void @f(i32 %n) {
; entry:
;   br label %whole
;
; whole:                                            ; preds = %rest, %entry
;   %i = phi i32 [ 0, %entry ], [ %i1, %rest ]
;   %i1 = add i32 %i, 1
;   %more = icmp ult i32 %i1, %n
;   call void (...) @llvm.spv.loop.merge(ptr blockaddress(@f, %free.preheader), ptr blockaddress(@f, %rest), i32 2)
;   br label %rest
;
; rest:                                             ; preds = %whole
;   br i1 %more, label %whole, label %free.preheader
;
; free.preheader:                                   ; preds = %rest
;   br label %free
;
; free:                                             ; preds = %free.preheader, %free
;   %k = phi i32 [ %k1, %free ], [ 0, %free.preheader ]
;   %k1 = add i32 %k, 1
;   %again = icmp ult i32 %k1, %n
;   br i1 %again, label %free, label %end
;
; end:                                              ; preds = %free
;   ret void
; }
;
; ; Function Attrs: nounwind
; declare void @llvm.spv.loop.merge(...) #0
;
; attributes #0 = { nounwind }
