; The high half of a product of 256 bits is made of products of half words.
; RUN: offloadc %s --run-pass=split_products | grep -v "^target"
; CHECK: define i128 @f
; CHECK-NOT: mul i256
; CHECK: mul i128
; CHECK: ret i128

define i128 @f(i128 %a, i128 %b) {
  %x = zext i128 %a to i256
  %y = zext i128 %b to i256
  %product = mul i256 %x, %y
  %high = lshr i256 %product, 128
  %r = trunc i256 %high to i128
  ret i128 %r
}
