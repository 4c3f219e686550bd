; `--fast-math` sets all flags of the operations, and `llvm.fmuladd` stays for the target to choose.
; RUN: offloadc %s --run-pass=float_rules --fast-math | grep -v "^target"
; RUN[exact]: offloadc %s --run-pass=float_rules --fp-contract=off | grep -v "^target"

define float @f(float %a, float %b) {
  %product = fmul float %a, %b
  %sum = call float @llvm.fmuladd.f32(float %a, float %b, float %product)
  ret float %sum
}
;;; stdout
;
; define float @f(float %a, float %b) {
;   %product = fmul fast float %a, %b
;   %sum = call fast float @llvm.fmuladd.f32(float %a, float %b, float %product)
;   ret float %sum
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare float @llvm.fmuladd.f32(float, float, float) #0
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
;;; stdout[exact]
;
; define float @f(float %a, float %b) {
;   %product = fmul float %a, %b
;   %1 = fmul float %a, %b
;   %2 = fadd float %1, %product
;   ret float %2
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare float @llvm.fmuladd.f32(float, float, float) #0
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
