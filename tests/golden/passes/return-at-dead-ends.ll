; A block whose end is never reached returns, because not every driver takes `OpUnreachable`.
; RUN: offloadc %s --run-pass=return_at_dead_ends --offload-arch=spirv64 | grep -v "^target"

define i32 @f(i1 %c) {
  br i1 %c, label %bad, label %good
bad:
  unreachable
good:
  ret i32 1
}
;;; stdout
;
; define i32 @f(i1 %c) {
;   br i1 %c, label %bad, label %good
;
; bad:                                              ; preds = %0
;   ret i32 0
;
; good:                                             ; preds = %0
;   ret i32 1
; }
