; C's functions and the remainder have the one name of the math function.
; RUN: offloadc %s --run-pass=name_math | grep -v "^target"

declare double @sin(double)

define double @f(double %x, double %y) {
  %s = call double @sin(double %x)
  %r = frem double %s, %y
  ret double %r
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
; ; Function Attrs: nounwind
; declare double @__offload_math.sin(double) #0
;
; ; Function Attrs: nounwind
; declare double @__offload_math.fmod(double, double) #0
;
; attributes #0 = { nounwind }
