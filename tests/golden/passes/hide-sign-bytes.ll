; LLVM 22 takes the wrong byte for the sign where bytes of a shifted number are put together.
; RUN: offloadc %s --run-pass=hide_sign_bytes --offload-arch=gfx90a | grep -v "^target"

define i32 @bytes(i32 %v, i32 %w) {
  %shifted = ashr i32 %v, 8
  %low = lshr i32 %shifted, 24
  %high = shl i32 %w, 8
  %all = or i32 %high, %low
  ret i32 %all
}

; Left alone: shifts by a part of a byte, without a sign, of halves, and those whose bytes stay together.
define i32 @left(i32 %v, i32 %w, i16 %h) {
  %part = ashr i32 %v, 9
  %unsigned = lshr i32 %v, 8
  %half = ashr i16 %h, 8
  %other = sext i16 %half to i32
  %one = or i32 %part, %unsigned
  %two = or i32 %one, %other
  %shifted = ashr i32 %w, 16
  %product = mul i32 %shifted, %two
  %is = icmp slt i32 %shifted, %v
  %all = select i1 %is, i32 %product, i32 %shifted
  ret i32 %all
}
;;; stdout
;
; define i32 @bytes(i32 %v, i32 %w) {
;   %shifted = ashr i32 %v, 8
;   %1 = call i32 asm sideeffect "", "=v,0"(i32 %shifted)
;   %low = lshr i32 %1, 24
;   %high = shl i32 %w, 8
;   %all = or i32 %high, %low
;   ret i32 %all
; }
;
; define i32 @left(i32 %v, i32 %w, i16 %h) {
;   %part = ashr i32 %v, 9
;   %unsigned = lshr i32 %v, 8
;   %half = ashr i16 %h, 8
;   %other = sext i16 %half to i32
;   %one = or i32 %part, %unsigned
;   %two = or i32 %one, %other
;   %shifted = ashr i32 %w, 16
;   %product = mul i32 %shifted, %two
;   %is = icmp slt i32 %shifted, %v
;   %all = select i1 %is, i32 %product, i32 %shifted
;   ret i32 %all
; }
