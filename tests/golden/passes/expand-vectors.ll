; Sums of parts of a vector, and the place of the first element that is set, are plain instructions.
; RUN: offloadc %s --run-pass=expand_vectors | grep -v "^target"

define <2 x i32> @f(<2 x i32> %sum, <4 x i32> %parts) {
  %r = call <2 x i32> @llvm.vector.partial.reduce.add.v2i32.v4i32(<2 x i32> %sum, <4 x i32> %parts)
  ret <2 x i32> %r
}

define i64 @first(<4 x i1> %mask, <8 x i8> %bytes) {
  %wider = call i64 @llvm.experimental.cttz.elts.i64.v4i1(<4 x i1> %mask, i1 false)
  %same = call i8 @llvm.experimental.cttz.elts.i8.v8i8(<8 x i8> %bytes, i1 true)
  %narrower = call i4 @llvm.experimental.cttz.elts.i4.v8i8(<8 x i8> %bytes, i1 false)
  ret i64 %wider
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
;
; define i64 @first(<4 x i1> %mask, <8 x i8> %bytes) {
;   %1 = bitcast <4 x i1> %mask to i4
;   %2 = call i4 @llvm.cttz.i4(i4 %1, i1 false)
;   %3 = zext i4 %2 to i64
;   %4 = icmp ne <8 x i8> %bytes, zeroinitializer
;   %5 = bitcast <8 x i1> %4 to i8
;   %6 = call i8 @llvm.cttz.i8(i8 %5, i1 true)
;   %7 = icmp ne <8 x i8> %bytes, zeroinitializer
;   %8 = bitcast <8 x i1> %7 to i8
;   %9 = call i8 @llvm.cttz.i8(i8 %8, i1 false)
;   %10 = trunc i8 %9 to i4
;   ret i64 %3
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
; declare i8 @llvm.cttz.i8(i8, i1 immarg) #0
;
; ; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
; declare i4 @llvm.cttz.i4(i4, i1 immarg) #0
;
; attributes #0 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
