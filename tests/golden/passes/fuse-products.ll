; A product and a sum that may round once become one operation, with the sign of a difference, if nothing else needs the
; product.
; RUN: offloadc %s --run-pass=fuse_products --offload-arch=spirv64 --kernel=k | grep -v "^target"

define void @k(ptr %out, float %a, float %b, float %c) {
  %product = fmul contract float %a, %b
  %sum = fadd contract float %c, %product
  %second = fmul contract float %sum, %b
  %less = fsub contract float %second, %c
  %third = fmul contract float %less, %b
  %from = fsub contract float %c, %third
  %kept = fmul contract float %from, %from
  %twice = fadd contract float %kept, %kept
  %exact = fmul float %twice, %b
  %rounded = fadd contract float %exact, %c
  store float %rounded, ptr %out
  ret void
}
;;; stdout
;
; define void @k(ptr %out, float %a, float %b, float %c) {
;   %1 = call float @llvm.fma.f32(float %a, float %b, float %c)
;   %2 = fneg float %c
;   %3 = call float @llvm.fma.f32(float %1, float %b, float %2)
;   %4 = fneg float %3
;   %5 = call float @llvm.fma.f32(float %4, float %b, float %c)
;   %kept = fmul contract float %5, %5
;   %twice = fadd contract float %kept, %kept
;   %exact = fmul float %twice, %b
;   %rounded = fadd contract float %exact, %c
;   store float %rounded, ptr %out, align 4
;   ret void
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare float @llvm.fma.f32(float, float, float) #0
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
