; An invoke becomes a call, and the landing pad is removed.
; RUN: offloadc %s --run-pass=lower_unwinding | grep -v "^target"

declare void @g()
declare i32 @rust_eh_personality(...)

define void @f() personality ptr @rust_eh_personality {
  invoke void @g() to label %end unwind label %pad
end:
  ret void
pad:
  %caught = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %caught
}
;;; stdout
;
; declare void @g()
;
; declare i32 @rust_eh_personality(...)
;
; define void @f() {
;   call void @g()
;   br label %end
;
; end:                                              ; preds = %0
;   ret void
; }
