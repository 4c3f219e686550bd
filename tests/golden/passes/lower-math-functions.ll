; A math function is an intrinsic where the target has it exactly, and stays the portable one elsewhere.
; RUN: offloadc %s --run-pass=lower_math_functions --offload-arch=spirv64 --math=vendor | grep -v "^target"

declare float @"__offload_math.sinf"(float)

define float @f(float %x) {
  %r = call float @"__offload_math.sinf"(float %x)
  ret float %r
}
;;; stdout
;
; ; Function Attrs: alwaysinline
; define internal float @__offload_math.sinf(float %0) #0 {
; entry:
;   %1 = call float @_Z3sinf(float %0)
;   ret float %1
; }
;
; define float @f(float %x) {
;   %r = call float @__offload_math.sinf(float %x)
;   ret float %r
; }
;
; declare float @_Z3sinf(float)
;
; attributes #0 = { alwaysinline }
