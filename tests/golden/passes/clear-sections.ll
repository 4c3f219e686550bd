; Constant memory is memory like any other on the CPU; a section of the user's stays.
; RUN: offloadc %s --run-pass=clear_sections --offload-arch=cpu | grep -v "^target"

@constant = internal constant i32 1, section ".offload.constant"
@own = internal constant i32 1, section ".mine"
;;; stdout
;
; @constant = internal constant i32 1
; @own = internal constant i32 1, section ".mine"
