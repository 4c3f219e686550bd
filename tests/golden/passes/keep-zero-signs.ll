; A product that is rounded to 16 bits becomes a fused operation with -0.0, so that LLVM's back end does not add 0.0. A
; product that is not rounded stays, and so does one of 64 bits.
; RUN@22: offloadc %s --run-pass=keep_zero_signs --offload-arch=gfx90a --kernel=k | grep -v "^target"
; RUN@23[of-23]: offloadc %s --run-pass=keep_zero_signs --offload-arch=gfx90a --kernel=k
; CHECK@23[of-23]: call float @llvm.fma.f32(float %a, float %b, float -0.0
; CHECK@23[of-23]: call float @llvm.fma.f32(float %b, float %b, float -0.0
; CHECK@23[of-23]: %kept = fmul float
; CHECK@23[of-23]: %wide = fmul double
; RUN[code]: for arch in gfx90a gfx1100; do offloadc %s --offload-arch=$arch --kernel=k --emit=codegen=-; done | \
;   grep -c 'v_fma_mix.*, 0$' || true
; RUN[without]: offloadc %s --offload-arch=gfx90a --kernel=k --without-workaround=keep_zero_signs --emit=codegen=- | \
;   grep -c "v_fma_mix.*, 0$"

define void @k(float %a, float %b, <2 x float> %v, double %d, <2 x double> %w, ptr %out) {
  %product = fmul float %a, %b
  %rounded = fptrunc float %product to half
  store half %rounded, ptr %out
  %negative = fneg float %product
  %other = fmul float %product, %negative
  %opposite = fneg float %other
  %opposite.rounded = fptrunc float %opposite to half
  store volatile half %opposite.rounded, ptr %out
  %vector = fmul <2 x float> %v, %v
  %element = extractelement <2 x float> %vector, i32 1
  %element.rounded = fptrunc float %element to half
  store volatile half %element.rounded, ptr %out
  %other.product = fmul float %b, %b
  %bits = call i16 @llvm.convert.to.fp16.f32(float %other.product)
  store volatile i16 %bits, ptr %out
  %kept = fmul float %a, %a
  store volatile float %kept, ptr %out
  %wide = fmul double %d, %d
  %wide.rounded = fptrunc double %wide to half
  store volatile half %wide.rounded, ptr %out
  %wides = fmul <2 x double> %w, %w
  %wides.rounded = fptrunc <2 x double> %wides to <2 x half>
  store volatile <2 x half> %wides.rounded, ptr %out
  %shuffled = fmul <2 x float> %v, splat (float 3.0)
  %twice = shufflevector <2 x float> %shuffled, <2 x float> %shuffled, <2 x i32> <i32 1, i32 2>
  store volatile <2 x float> %twice, ptr %out
  ret void
}

declare i16 @llvm.convert.to.fp16.f32(float)
;;; stdout
;
; define void @k(float %a, float %b, <2 x float> %v, double %d, <2 x double> %w, ptr %out) {
;   %1 = call float @llvm.fma.f32(float %a, float %b, float -0.000000e+00)
;   %rounded = fptrunc float %1 to half
;   store half %rounded, ptr %out, align 2
;   %negative = fneg float %1
;   %2 = call float @llvm.fma.f32(float %1, float %negative, float -0.000000e+00)
;   %opposite = fneg float %2
;   %opposite.rounded = fptrunc float %opposite to half
;   store volatile half %opposite.rounded, ptr %out, align 2
;   %3 = call <2 x float> @llvm.fma.v2f32(<2 x float> %v, <2 x float> %v, <2 x float> splat (float -0.000000e+00))
;   %element = extractelement <2 x float> %3, i32 1
;   %element.rounded = fptrunc float %element to half
;   store volatile half %element.rounded, ptr %out, align 2
;   %4 = call float @llvm.fma.f32(float %b, float %b, float -0.000000e+00)
;   %bits = call i16 @llvm.convert.to.fp16.f32(float %4)
;   store volatile i16 %bits, ptr %out, align 2
;   %kept = fmul float %a, %a
;   store volatile float %kept, ptr %out, align 4
;   %wide = fmul double %d, %d
;   %wide.rounded = fptrunc double %wide to half
;   store volatile half %wide.rounded, ptr %out, align 2
;   %wides = fmul <2 x double> %w, %w
;   %wides.rounded = fptrunc <2 x double> %wides to <2 x half>
;   store volatile <2 x half> %wides.rounded, ptr %out, align 4
;   %shuffled = fmul <2 x float> %v, splat (float 3.000000e+00)
;   %twice = shufflevector <2 x float> %shuffled, <2 x float> %shuffled, <2 x i32> <i32 1, i32 2>
;   store volatile <2 x float> %twice, ptr %out, align 8
;   ret void
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
; declare i16 @llvm.convert.to.fp16.f32(float) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare float @llvm.fma.f32(float, float, float) #1
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare <2 x float> @llvm.fma.v2f32(<2 x float>, <2 x float>, <2 x float>) #1
;
; attributes #0 = { nocallback nofree nosync nounwind willreturn memory(none) }
; attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
;;; stdout[code]
; 0
;;; stdout[without]
; 3
