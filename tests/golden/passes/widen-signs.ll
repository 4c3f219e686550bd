; LLVM 22's SPIR-V back end makes 1.0 of a bit with a sign. Numbers of more bits and without a sign are left alone.
; RUN: offloadc %s --run-pass=widen_signs --offload-arch=spirv64 | grep -v "^target"

define float @one(i1 %a) {
  %f = sitofp i1 %a to float
  ret float %f
}

define <2 x double> @two(<2 x i1> %a) {
  %f = sitofp <2 x i1> %a to <2 x double>
  ret <2 x double> %f
}

define float @left(i1 %a, i8 %b) {
  %f = uitofp i1 %a to float
  %g = sitofp i8 %b to float
  %sum = fadd float %f, %g
  ret float %sum
}
;;; stdout
;
; define float @one(i1 %a) {
;   %1 = sext i1 %a to i32
;   %f = sitofp i32 %1 to float
;   ret float %f
; }
;
; define <2 x double> @two(<2 x i1> %a) {
;   %1 = sext <2 x i1> %a to <2 x i32>
;   %f = sitofp <2 x i32> %1 to <2 x double>
;   ret <2 x double> %f
; }
;
; define float @left(i1 %a, i8 %b) {
;   %f = uitofp i1 %a to float
;   %g = sitofp i8 %b to float
;   %sum = fadd float %f, %g
;   ret float %sum
; }
