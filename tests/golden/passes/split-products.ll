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

; A product of which another part is used stays, like one of a number that may be wider, or of a sign.
; CHECK: define i256 @whole
; CHECK: mul i256
; CHECK: ret i256
define i256 @whole(i128 %a, i128 %b) {
  %x = zext i128 %a to i256
  %y = zext i128 %b to i256
  %product = mul i256 %x, %y
  ret i256 %product
}

; CHECK: define i128 @middle
; CHECK: mul i256
; CHECK: ret i128
define i128 @middle(i128 %a, i128 %b) {
  %x = zext i128 %a to i256
  %y = zext i128 %b to i256
  %product = mul i256 %x, %y
  %middle = lshr i256 %product, 127
  %r = trunc i256 %middle to i128
  ret i128 %r
}

; CHECK: define i129 @more
; CHECK: mul i256
; CHECK: ret i129
define i129 @more(i128 %a, i128 %b) {
  %x = zext i128 %a to i256
  %y = zext i128 %b to i256
  %product = mul i256 %x, %y
  %r = trunc i256 %product to i129
  ret i129 %r
}

; CHECK: define i128 @signed
; CHECK: mul i256
; CHECK: ret i128
define i128 @signed(i128 %a, i128 %b) {
  %x = sext i128 %a to i256
  %y = zext i128 %b to i256
  %product = mul i256 %x, %y
  %high = lshr i256 %product, 128
  %r = trunc i256 %high to i128
  ret i128 %r
}

; CHECK: define i128 @wider
; CHECK: mul i256
; CHECK: ret i128
define i128 @wider(i129 %a, i128 %b) {
  %x = zext i129 %a to i256
  %y = zext i128 %b to i256
  %product = mul i256 %x, %y
  %high = lshr i256 %product, 128
  %r = trunc i256 %high to i128
  ret i128 %r
}

; A product of other numbers is none of these.
; CHECK: define i192 @narrower
; CHECK: mul i192
; CHECK: ret i192
define i192 @narrower(i192 %a) {
  %product = mul i192 %a, %a
  ret i192 %product
}

; The low half, and the upper quarter, of a product with a number.
; CHECK: define i64 @parts
; CHECK-NOT: mul i256
; CHECK: ret i64
define i64 @parts(i64 %a) {
  %x = zext i64 %a to i256
  %product = mul i256 %x, 18446744073709551617
  %low = trunc i256 %product to i64
  %high = lshr i256 %product, 192
  %quarter = trunc i256 %high to i64
  %r = add i64 %low, %quarter
  ret i64 %r
}
