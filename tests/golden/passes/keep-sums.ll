; A sum that is compared with its operand is frozen, so that it does not become an addition with carry.
; RUN: offloadc %s --run-pass=keep_sums --offload-arch=spirv64 | grep -v "^target"

define i1 @f(i32 %a, i32 %b) {
  %sum = add i32 %a, %b
  %over = icmp ult i32 %sum, %a
  ret i1 %over
}
;;; stdout
;
; define i1 @f(i32 %a, i32 %b) {
;   %sum = add i32 %a, %b
;   %1 = freeze i32 %sum
;   %over = icmp ult i32 %1, %a
;   ret i1 %over
; }
