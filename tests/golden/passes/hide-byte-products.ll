; LLVM 22 takes each operation with a product of bytes for a sum of them. Products that are operands of sums alone stay,
; and so do those of numbers with more bits, and comparisons.
; RUN: offloadc %s --run-pass=hide_byte_products --offload-arch=gfx90a | grep -v "^target"

declare i32 @llvm.umax.i32(i32, i32)

define i32 @masked(i8 %a, i8 %b, i32 %c) {
  %x = zext i8 %a to i32
  %y = zext i8 %b to i32
  %product = mul i32 %x, %y
  %mask = and i32 %product, 1023
  %square = mul i32 %x, %x
  %most = call i32 @llvm.umax.i32(i32 %c, i32 %square)
  %one = add i32 %mask, %product
  %all = add i32 %one, %most
  ret i32 %all
}

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
  ret i32 %all
}
;;; stdout
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare i32 @llvm.umax.i32(i32, i32) #0
;
; define i32 @masked(i8 %a, i8 %b, i32 %c) {
;   %x = zext i8 %a to i32
;   %y = zext i8 %b to i32
;   %product = mul i32 %x, %y
;   %1 = call i32 asm sideeffect "", "=v,0"(i32 %product)
;   %mask = and i32 %1, 1023
;   %square = mul i32 %x, %x
;   %2 = call i32 asm sideeffect "", "=v,0"(i32 %square)
;   %most = call i32 @llvm.umax.i32(i32 %c, i32 %2)
;   %one = add i32 %mask, %product
;   %all = add i32 %one, %most
;   ret i32 %all
; }
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
;   ret i32 %all
; }
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
