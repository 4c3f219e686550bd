; Subnormal numbers of `f32` may count as zero in every function.
; RUN@22: offloadc %s --run-pass=flush_subnormals --offload-arch=sm_80 --ftz | grep -v "^target"
; RUN@23[of-23]: offloadc %s --run-pass=flush_subnormals --offload-arch=sm_80 --ftz
; CHECK@23[of-23]: define float @f(float %x) #0
; CHECK@23[of-23]: attributes #0 = { denormal_fpenv(float: preservesign) }

define float @f(float %x) {
  ret float %x
}
;;; stdout
;
; define float @f(float %x) #0 {
;   ret float %x
; }
;
; attributes #0 = { "denormal-fp-math-f32"="preserve-sign,preserve-sign" }
