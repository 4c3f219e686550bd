; A mask of single bits becomes a number element by element, and a number becomes a mask. A cast between types that the
; device has stays.
; RUN: offloadc %s --run-pass=expand_bitcasts --offload-arch=spirv64 | grep -v "^target"

define i4 @f(<4 x i1> %mask) {
  %number = bitcast <4 x i1> %mask to i4
  ret i4 %number
}

define i1 @back(i4 %number, <2 x float> %floats, ptr addrspace(1) %out) {
  %mask = bitcast i4 %number to <4 x i1>
  %first = extractelement <4 x i1> %mask, i32 2
  %kept = bitcast <2 x float> %floats to i64
  store i64 %kept, ptr addrspace(1) %out
  ret i1 %first
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
;
; define i1 @back(i4 %number, <2 x float> %floats, ptr addrspace(1) %out) {
;   %1 = lshr i4 %number, 0
;   %2 = trunc i4 %1 to i1
;   %3 = lshr i4 %number, 1
;   %4 = trunc i4 %3 to i1
;   %5 = lshr i4 %number, 2
;   %6 = trunc i4 %5 to i1
;   %7 = lshr i4 %number, 3
;   %8 = trunc i4 %7 to i1
;   %9 = insertelement <4 x i1> poison, i1 %2, i32 0
;   %10 = insertelement <4 x i1> %9, i1 %4, i32 1
;   %11 = insertelement <4 x i1> %10, i1 %6, i32 2
;   %12 = insertelement <4 x i1> %11, i1 %8, i32 3
;   %first = extractelement <4 x i1> %12, i32 2
;   %kept = bitcast <2 x float> %floats to i64
;   store i64 %kept, ptr addrspace(1) %out, align 4
;   ret i1 %6
; }
