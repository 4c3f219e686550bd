; Sums of parts of a vector are plain instructions.
; RUN: offloadc %s --run-pass=expand_vectors | grep -v "^target"

define <2 x i32> @f(<2 x i32> %sum, <4 x i32> %parts) {
  %r = call <2 x i32> @llvm.vector.partial.reduce.add.v2i32.v4i32(<2 x i32> %sum, <4 x i32> %parts)
  ret <2 x i32> %r
}
;;; stdout
;
; define <2 x i32> @f(<2 x i32> %sum, <4 x i32> %parts) {
;   %1 = extractelement <2 x i32> %sum, i32 0
;   %2 = extractelement <4 x i32> %parts, i32 0
;   %3 = add i32 %1, %2
;   %4 = extractelement <4 x i32> %parts, i32 2
;   %5 = add i32 %3, %4
;   %6 = insertelement <2 x i32> poison, i32 %5, i32 0
;   %7 = extractelement <2 x i32> %sum, i32 1
;   %8 = extractelement <4 x i32> %parts, i32 1
;   %9 = add i32 %7, %8
;   %10 = extractelement <4 x i32> %parts, i32 3
;   %11 = add i32 %9, %10
;   %12 = insertelement <2 x i32> %6, i32 %11, i32 1
;   ret <2 x i32> %12
; }
