; LLVM 22 takes the upper halves of products of words, and shifts zeros into them where the sign is needed.
; RUN: offloadc %s --run-pass=narrow_word_products --offload-arch=cpu | grep -v "^target"

define <8 x i16> @signed(<8 x i16> %a, <8 x i16> %b) {
  %x = sext <8 x i16> %a to <8 x i64>
  %y = sext <8 x i16> %b to <8 x i64>
  %product = mul <8 x i64> %x, %y
  %shifted = lshr <8 x i64> %product, splat (i64 33)
  %word = trunc <8 x i64> %shifted to <8 x i16>
  %arithmetic = ashr <8 x i64> %product, splat (i64 20)
  %other = trunc <8 x i64> %arithmetic to <8 x i16>
  %last = lshr <8 x i64> %product, splat (i64 60)
  %bits = trunc <8 x i64> %last to <8 x i16>
  %sum = add <8 x i16> %word, %other
  %all = add <8 x i16> %sum, %bits
  ret <8 x i16> %all
}

define <8 x i16> @unsigned(<8 x i16> %a) {
  %x = zext <8 x i16> %a to <8 x i64>
  %product = mul <8 x i64> %x, splat (i64 12345)
  %shifted = ashr <8 x i64> %product, splat (i64 27)
  %word = trunc <8 x i64> %shifted to <8 x i16>
  %far = lshr <8 x i64> %product, splat (i64 32)
  %none = trunc <8 x i64> %far to <8 x i16>
  %all = add <8 x i16> %word, %none
  ret <8 x i16> %all
}

; Left alone: numbers that are no vectors, longer results, products of 32 bits, other operands than shifts and products,
; shifts by a value, by different amounts, by 16 bits and by too many, and factors of more than 16 bits.
define void @left(i16 %a, <2 x i16> %b, <2 x i64> %by, <2 x i32> %c, ptr %p) {
  %x = sext i16 %a to i64
  %number = mul i64 %x, %x
  %lower = ashr i64 %number, 33
  %cut = trunc i64 %lower to i16
  store volatile i16 %cut, ptr %p
  %y = sext <2 x i16> %b to <2 x i64>
  %product = mul <2 x i64> %y, %y
  %shifted = ashr <2 x i64> %product, splat (i64 33)
  %long = trunc <2 x i64> %shifted to <2 x i32>
  store volatile <2 x i32> %long, ptr %p
  %z = sext <2 x i16> %b to <2 x i32>
  %short = mul <2 x i32> %z, %z
  %upper = ashr <2 x i32> %short, splat (i32 20)
  %word.0 = trunc <2 x i32> %upper to <2 x i16>
  store volatile <2 x i16> %word.0, ptr %p
  %word.1 = trunc <2 x i64> %product to <2 x i16>
  store volatile <2 x i16> %word.1, ptr %p
  %sum = add <2 x i64> %y, %by
  %high = ashr <2 x i64> %sum, splat (i64 33)
  %word.2 = trunc <2 x i64> %high to <2 x i16>
  store volatile <2 x i16> %word.2, ptr %p
  %some = ashr <2 x i64> %product, %by
  %word.3 = trunc <2 x i64> %some to <2 x i16>
  store volatile <2 x i16> %word.3, ptr %p
  %two = ashr <2 x i64> %product, <i64 33, i64 34>
  %word.4 = trunc <2 x i64> %two to <2 x i16>
  store volatile <2 x i16> %word.4, ptr %p
  %half = ashr <2 x i64> %product, splat (i64 16)
  %word.5 = trunc <2 x i64> %half to <2 x i16>
  store volatile <2 x i16> %word.5, ptr %p
  %over = ashr <2 x i64> %product, splat (i64 64)
  %word.6 = trunc <2 x i64> %over to <2 x i16>
  store volatile <2 x i16> %word.6, ptr %p
  %wide = sext <2 x i32> %c to <2 x i64>
  %most = mul <2 x i64> %wide, %y
  %part = ashr <2 x i64> %most, splat (i64 33)
  %word.7 = trunc <2 x i64> %part to <2 x i16>
  store volatile <2 x i16> %word.7, ptr %p
  ret void
}
;;; stdout
;
; define <8 x i16> @signed(<8 x i16> %a, <8 x i16> %b) {
;   %x = sext <8 x i16> %a to <8 x i64>
;   %y = sext <8 x i16> %b to <8 x i64>
;   %product = mul <8 x i64> %x, %y
;   %shifted = lshr <8 x i64> %product, splat (i64 33)
;   %1 = trunc <8 x i64> %x to <8 x i32>
;   %2 = trunc <8 x i64> %y to <8 x i32>
;   %3 = mul <8 x i32> %1, %2
;   %4 = ashr <8 x i32> %3, splat (i32 31)
;   %5 = trunc <8 x i32> %4 to <8 x i16>
;   %arithmetic = ashr <8 x i64> %product, splat (i64 20)
;   %6 = trunc <8 x i64> %x to <8 x i32>
;   %7 = trunc <8 x i64> %y to <8 x i32>
;   %8 = mul <8 x i32> %6, %7
;   %9 = ashr <8 x i32> %8, splat (i32 20)
;   %10 = trunc <8 x i32> %9 to <8 x i16>
;   %last = lshr <8 x i64> %product, splat (i64 60)
;   %11 = trunc <8 x i64> %x to <8 x i32>
;   %12 = trunc <8 x i64> %y to <8 x i32>
;   %13 = mul <8 x i32> %11, %12
;   %14 = ashr <8 x i32> %13, splat (i32 31)
;   %15 = trunc <8 x i32> %14 to <8 x i16>
;   %16 = and <8 x i16> %15, splat (i16 15)
;   %sum = add <8 x i16> %5, %10
;   %all = add <8 x i16> %sum, %16
;   ret <8 x i16> %all
; }
;
; define <8 x i16> @unsigned(<8 x i16> %a) {
;   %x = zext <8 x i16> %a to <8 x i64>
;   %product = mul <8 x i64> %x, splat (i64 12345)
;   %shifted = ashr <8 x i64> %product, splat (i64 27)
;   %1 = trunc <8 x i64> %x to <8 x i32>
;   %2 = mul <8 x i32> %1, splat (i32 12345)
;   %3 = lshr <8 x i32> %2, splat (i32 27)
;   %4 = trunc <8 x i32> %3 to <8 x i16>
;   %far = lshr <8 x i64> %product, splat (i64 32)
;   %all = add <8 x i16> %4, zeroinitializer
;   ret <8 x i16> %all
; }
;
; define void @left(i16 %a, <2 x i16> %b, <2 x i64> %by, <2 x i32> %c, ptr %p) {
;   %x = sext i16 %a to i64
;   %number = mul i64 %x, %x
;   %lower = ashr i64 %number, 33
;   %cut = trunc i64 %lower to i16
;   store volatile i16 %cut, ptr %p, align 2
;   %y = sext <2 x i16> %b to <2 x i64>
;   %product = mul <2 x i64> %y, %y
;   %shifted = ashr <2 x i64> %product, splat (i64 33)
;   %long = trunc <2 x i64> %shifted to <2 x i32>
;   store volatile <2 x i32> %long, ptr %p, align 8
;   %z = sext <2 x i16> %b to <2 x i32>
;   %short = mul <2 x i32> %z, %z
;   %upper = ashr <2 x i32> %short, splat (i32 20)
;   %word.0 = trunc <2 x i32> %upper to <2 x i16>
;   store volatile <2 x i16> %word.0, ptr %p, align 4
;   %word.1 = trunc <2 x i64> %product to <2 x i16>
;   store volatile <2 x i16> %word.1, ptr %p, align 4
;   %sum = add <2 x i64> %y, %by
;   %high = ashr <2 x i64> %sum, splat (i64 33)
;   %word.2 = trunc <2 x i64> %high to <2 x i16>
;   store volatile <2 x i16> %word.2, ptr %p, align 4
;   %some = ashr <2 x i64> %product, %by
;   %word.3 = trunc <2 x i64> %some to <2 x i16>
;   store volatile <2 x i16> %word.3, ptr %p, align 4
;   %two = ashr <2 x i64> %product, <i64 33, i64 34>
;   %word.4 = trunc <2 x i64> %two to <2 x i16>
;   store volatile <2 x i16> %word.4, ptr %p, align 4
;   %half = ashr <2 x i64> %product, splat (i64 16)
;   %word.5 = trunc <2 x i64> %half to <2 x i16>
;   store volatile <2 x i16> %word.5, ptr %p, align 4
;   %over = ashr <2 x i64> %product, splat (i64 64)
;   %word.6 = trunc <2 x i64> %over to <2 x i16>
;   store volatile <2 x i16> %word.6, ptr %p, align 4
;   %wide = sext <2 x i32> %c to <2 x i64>
;   %most = mul <2 x i64> %wide, %y
;   %part = ashr <2 x i64> %most, splat (i64 33)
;   %word.7 = trunc <2 x i64> %part to <2 x i16>
;   store volatile <2 x i16> %word.7, ptr %p, align 4
;   ret void
; }
