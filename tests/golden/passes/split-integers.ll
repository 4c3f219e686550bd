; An addition of 128 bits is two of 64 with a carry.
; RUN: offloadc %s --run-pass=split_integers --offload-arch=spirv64 | grep -v "^target"

define i64 @f(i64 %a, i64 %b) {
  %wide.a = zext i64 %a to i128
  %wide.b = zext i64 %b to i128
  %sum = add i128 %wide.a, %wide.b
  %high = lshr i128 %sum, 64
  %r = trunc i128 %high to i64
  ret i64 %r
}
;;; stdout
;
; define i64 @f(i64 %a, i64 %b) {
;   %1 = add i64 %a, %b
;   %2 = icmp ult i64 %1, %a
;   %3 = zext i1 %2 to i64
;   %4 = add i64 0, %3
;   %5 = shl i64 %4, 1
;   %6 = shl i64 %5, 63
;   %7 = lshr i64 %4, 0
;   %8 = lshr i64 %1, 0
;   %9 = or i64 %8, %6
;   %10 = select i1 false, i64 %9, i64 %7
;   %11 = select i1 false, i64 %7, i64 0
;   ret i64 %10
; }
