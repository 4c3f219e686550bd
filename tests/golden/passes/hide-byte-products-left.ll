; A module in which products of bytes are operands of sums and comparisons only is left alone, and so are factors of more
; bits.
; RUN: offloadc %s --run-pass=hide_byte_products --offload-arch=gfx90a | grep -v "^target"

define i32 @left(i8 %a, i32 %b) {
  %x = zext i8 %a to i32
  %square = mul i32 %x, %x
  %sum = add i32 %square, %b
  %high = lshr i32 %b, 20
  %product = mul i32 %x, %high
  %mask = and i32 %product, 1023
  %is = icmp ugt i32 %square, %b
  %number = zext i1 %is to i32
  %one = add i32 %sum, %mask
  %all = add i32 %one, %number
  %wide = zext i32 %b to i64
  %long = mul i64 %wide, %wide
  %cut = trunc i64 %long to i32
  %most = add i32 %all, %cut
  ret i32 %most
}
;;; stdout
;
; define i32 @left(i8 %a, i32 %b) {
;   %x = zext i8 %a to i32
;   %square = mul i32 %x, %x
;   %sum = add i32 %square, %b
;   %high = lshr i32 %b, 20
;   %product = mul i32 %x, %high
;   %mask = and i32 %product, 1023
;   %is = icmp ugt i32 %square, %b
;   %number = zext i1 %is to i32
;   %one = add i32 %sum, %mask
;   %all = add i32 %one, %number
;   %wide = zext i32 %b to i64
;   %long = mul i64 %wide, %wide
;   %cut = trunc i64 %long to i32
;   %most = add i32 %all, %cut
;   ret i32 %most
; }
