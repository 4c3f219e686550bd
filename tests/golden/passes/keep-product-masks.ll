; LLVM 22 drops the masks of factors of at most 24 bits, and then adds a product of all 32 bits.
; RUN: offloadc %s --run-pass=keep_product_masks --offload-arch=gfx90a | grep -v "^target"

define i64 @product(i32 %a, i32 %b, i64 %c) {
  %x = and i32 %a, 16777215
  %y = and i32 %b, 65535
  %wide = zext i32 %x to i64
  %other = zext i32 %y to i64
  %product = mul i64 %wide, %other
  %sum = add i64 %product, %c
  %constant = mul i64 12, %other
  %all = add i64 %sum, %constant
  ret i64 %all
}

; Left alone: products of 32 bits, those with a factor of more than 24 bits, those of numbers with a sign, and those of
; numbers without a mask.
define i64 @left(i32 %a, i32 %b, i64 %c, ptr %p) {
  %x = and i32 %a, 16777215
  %y = and i32 %b, 33554431
  %short = mul i32 %x, %x
  %wide = zext i32 %x to i64
  %other = zext i32 %y to i64
  %product = mul i64 %wide, %other
  %number = sext i32 %short to i64
  %sum = add i64 %product, %number
  %high = shl i64 %c, 40
  %signed = ashr i64 %high, 40
  %square = mul i64 %signed, %signed
  %most = add i64 %sum, %square
  %half = load i16, ptr %p
  %loaded = zext i16 %half to i64
  %bytes = mul i64 %loaded, 12
  %all = add i64 %most, %bytes
  ret i64 %all
}
;;; stdout
;
; define i64 @product(i32 %a, i32 %b, i64 %c) {
;   %x = and i32 %a, 16777215
;   %y = and i32 %b, 65535
;   %wide = zext i32 %x to i64
;   %other = zext i32 %y to i64
;   %1 = call i64 @llvm.expect.i64(i64 %wide, i64 0)
;   %product = mul i64 %1, %other
;   %sum = add i64 %product, %c
;   %2 = call i64 @llvm.expect.i64(i64 %other, i64 0)
;   %constant = mul i64 12, %2
;   %all = add i64 %sum, %constant
;   ret i64 %all
; }
;
; define i64 @left(i32 %a, i32 %b, i64 %c, ptr %p) {
;   %x = and i32 %a, 16777215
;   %y = and i32 %b, 33554431
;   %short = mul i32 %x, %x
;   %wide = zext i32 %x to i64
;   %other = zext i32 %y to i64
;   %product = mul i64 %wide, %other
;   %number = sext i32 %short to i64
;   %sum = add i64 %product, %number
;   %high = shl i64 %c, 40
;   %signed = ashr i64 %high, 40
;   %square = mul i64 %signed, %signed
;   %most = add i64 %sum, %square
;   %half = load i16, ptr %p, align 2
;   %loaded = zext i16 %half to i64
;   %bytes = mul i64 %loaded, 12
;   %all = add i64 %most, %bytes
;   ret i64 %all
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
; declare i64 @llvm.expect.i64(i64, i64) #0
;
; attributes #0 = { nocallback nofree nosync nounwind willreturn memory(none) }
