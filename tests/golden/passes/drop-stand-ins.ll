; Bodies in the section of stand-ins are removed; other bodies of the same names stay.
; RUN: offloadc %s --run-pass=drop_stand_ins | grep -v "^target"

define i32 @__offload_thread_id_x() section ".text.offload.stand_in" {
  ret i32 0
}

define i32 @__offload_thread_id_y() {
  ret i32 0
}
;;; stdout
;
; define i32 @__offload_thread_id_y() {
;   ret i32 0
; }
;
; declare i32 @__offload_thread_id_x()
