; Sums and products of single bits are logic.
; RUN: offloadc %s --run-pass=expand_bits --offload-arch=spirv64 | grep -v "^target"

define i1 @f(i1 %a, i1 %b) {
  %sum = add i1 %a, %b
  %product = mul i1 %sum, %b
  %rest = urem i1 %product, %a
  %r = or i1 %product, %rest
  ret i1 %r
}
;;; stdout
;
; define i1 @f(i1 %a, i1 %b) {
;   %1 = xor i1 %a, %b
;   %2 = and i1 %1, %b
;   %r = or i1 %2, false
;   ret i1 %r
; }
