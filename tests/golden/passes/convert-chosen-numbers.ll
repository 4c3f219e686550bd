; A number that is an address is converted by an instruction where a choice is kept from folding into it.
; RUN: offloadc %s --run-pass=convert_chosen_numbers --offload-arch=spirv64 | grep -v "^target"

define ptr @f() {
  %r = freeze ptr inttoptr (i64 5 to ptr)
  ret ptr %r
}
;;; stdout
;
; define ptr @f() {
;   %1 = freeze i64 5
;   %2 = inttoptr i64 %1 to ptr
;   ret ptr %2
; }
