; C's functions and the remainder have the one name of the math function, also for each element of a vector. A function of
; C's name with another type is another one.
; RUN: offloadc %s --run-pass=name_math | grep -v "^target"

declare double @sin(double)

define double @f(double %x, double %y) {
  %s = call double @sin(double %x)
  %r = frem double %s, %y
  ret double %r
}

declare i32 @cos(i32)

define <2 x float> @g(<2 x float> %x, <2 x float> %y, i32 %n) {
  %s = call <2 x float> @llvm.exp2.v2f32(<2 x float> %x)
  %r = frem <2 x float> %s, %y
  %other = call i32 @cos(i32 %n)
  ret <2 x float> %r
}
;;; stdout
;
; declare double @sin(double)
;
; define double @f(double %x, double %y) {
;   %s = call double @__offload_math.sin(double %x)
;   %1 = call double @__offload_math.fmod(double %s, double %y)
;   ret double %1
; }
;
; declare i32 @cos(i32)
;
; define <2 x float> @g(<2 x float> %x, <2 x float> %y, i32 %n) {
;   %1 = extractelement <2 x float> %x, i32 0
;   %2 = call float @__offload_math.exp2f(float %1)
;   %3 = insertelement <2 x float> poison, float %2, i32 0
;   %4 = extractelement <2 x float> %x, i32 1
;   %5 = call float @__offload_math.exp2f(float %4)
;   %6 = insertelement <2 x float> %3, float %5, i32 1
;   %7 = extractelement <2 x float> %6, i32 0
;   %8 = extractelement <2 x float> %y, i32 0
;   %9 = call float @__offload_math.fmodf(float %7, float %8)
;   %10 = insertelement <2 x float> poison, float %9, i32 0
;   %11 = extractelement <2 x float> %6, i32 1
;   %12 = extractelement <2 x float> %y, i32 1
;   %13 = call float @__offload_math.fmodf(float %11, float %12)
;   %14 = insertelement <2 x float> %10, float %13, i32 1
;   %other = call i32 @cos(i32 %n)
;   ret <2 x float> %14
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare <2 x float> @llvm.exp2.v2f32(<2 x float>) #0
;
; ; Function Attrs: nounwind
; declare double @__offload_math.sin(double) #1
;
; ; Function Attrs: nounwind
; declare float @__offload_math.exp2f(float) #1
;
; ; Function Attrs: nounwind
; declare double @__offload_math.fmod(double, double) #1
;
; ; Function Attrs: nounwind
; declare float @__offload_math.fmodf(float, float) #1
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
; attributes #1 = { nounwind }
