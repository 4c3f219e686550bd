; A hidden number that is still used becomes the number again, and all symbols are removed.
; RUN: offloadc %s --run-pass=restore_lines --offload-arch=sm_80 | grep -v "^target"

@offload.number = internal unnamed_addr global i32 12, section ".offload.hidden_numbers", align 1
@offload.number.1 = internal unnamed_addr global i32 5, section ".offload.hidden_numbers", align 1
@place = internal unnamed_addr constant { i32, i32 } { i32 ptrtoint (ptr @offload.number to i32), i32 7 }

define ptx_kernel void @k(ptr %out) {
  store i32 ptrtoint (ptr @offload.number to i32), ptr %out
  %field = load i32, ptr @place
  store i32 %field, ptr %out
  ret void
}
;;; stdout
;
; @place = internal unnamed_addr constant { i32, i32 } { i32 12, i32 7 }
;
; define ptx_kernel void @k(ptr %out) {
;   store i32 12, ptr %out, align 4
;   %field = load i32, ptr @place, align 4
;   store i32 %field, ptr %out, align 4
;   ret void
; }
