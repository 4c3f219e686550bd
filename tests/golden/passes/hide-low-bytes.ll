; LLVM 22's x86 back end puts a byte into a register of 64 bits, and takes its upper half for zero.
; RUN: offloadc %s --run-pass=hide_low_bytes --offload-arch=cpu | grep -v "^target"

define i64 @byte(i64 %x, ptr %p) {
  %word = trunc i64 %x to i32
  %upper = and i32 %word, -256
  %byte = load i8, ptr %p
  %low = zext i8 %byte to i32
  %all = or disjoint i32 %upper, %low
  %wide = zext i32 %all to i64
  ret i64 %wide
}

; Left alone: other operations and widths, constants, parts of more than 16 bits, and numbers whose low bits are not zero.
define i64 @left(i32 %x, i32 %y, i8 %b) {
  %low = zext i8 %b to i32
  %upper = and i32 %x, -256
  %sum = add i32 %upper, %low
  %one = zext i32 %sum to i64
  %all = or i32 %x, %low
  %two = zext i32 %all to i64
  %flag = or i32 %upper, 255
  %three = zext i32 %flag to i64
  %both = or i32 %upper, %y
  %four = zext i32 %both to i64
  %long = zext i32 %upper to i64
  %part = zext i8 %b to i64
  %five = or i64 %long, %part
  %a = xor i64 %one, %two
  %b.0 = xor i64 %three, %four
  %c = xor i64 %a, %b.0
  %d = xor i64 %c, %five
  ret i64 %d
}
;;; stdout
;
; define i64 @byte(i64 %x, ptr %p) {
;   %word = trunc i64 %x to i32
;   %upper = and i32 %word, -256
;   %byte = load i8, ptr %p, align 1
;   %low = zext i8 %byte to i32
;   %all = or disjoint i32 %upper, %low
;   %1 = call i32 asm "", "=r,0"(i32 %all) #0
;   %wide = zext i32 %1 to i64
;   ret i64 %wide
; }
;
; define i64 @left(i32 %x, i32 %y, i8 %b) {
;   %low = zext i8 %b to i32
;   %upper = and i32 %x, -256
;   %sum = add i32 %upper, %low
;   %one = zext i32 %sum to i64
;   %all = or i32 %x, %low
;   %two = zext i32 %all to i64
;   %flag = or i32 %upper, 255
;   %three = zext i32 %flag to i64
;   %both = or i32 %upper, %y
;   %four = zext i32 %both to i64
;   %long = zext i32 %upper to i64
;   %part = zext i8 %b to i64
;   %five = or i64 %long, %part
;   %a = xor i64 %one, %two
;   %b.0 = xor i64 %three, %four
;   %c = xor i64 %a, %b.0
;   %d = xor i64 %c, %five
;   ret i64 %d
; }
;
; attributes #0 = { nounwind willreturn memory(none) }
