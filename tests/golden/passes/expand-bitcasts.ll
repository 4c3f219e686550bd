; A mask of single bits becomes a number element by element.
; RUN: offloadc %s --run-pass=expand_bitcasts --offload-arch=spirv64 | grep -v "^target"

define i4 @f(<4 x i1> %mask) {
  %number = bitcast <4 x i1> %mask to i4
  ret i4 %number
}
;;; stdout
;
; define i4 @f(<4 x i1> %mask) {
;   %1 = extractelement <4 x i1> %mask, i32 0
;   %2 = zext i1 %1 to i4
;   %3 = shl i4 %2, 0
;   %4 = or i4 0, %3
;   %5 = extractelement <4 x i1> %mask, i32 1
;   %6 = zext i1 %5 to i4
;   %7 = shl i4 %6, 1
;   %8 = or i4 %4, %7
;   %9 = extractelement <4 x i1> %mask, i32 2
;   %10 = zext i1 %9 to i4
;   %11 = shl i4 %10, 2
;   %12 = or i4 %8, %11
;   %13 = extractelement <4 x i1> %mask, i32 3
;   %14 = zext i1 %13 to i4
;   %15 = shl i4 %14, 3
;   %16 = or i4 %12, %15
;   ret i4 %16
; }
