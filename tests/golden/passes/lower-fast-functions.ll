; An approximate function becomes an instruction of the target, or is composed of others that are; on the CPU it is the
; exact function.
; RUN[nvidia]: offloadc %s --offload-arch=sm_80 --kernel=k --run-pass=lower_fast_functions | grep -v "^target" | \
;   sed 's/f0x3FB8AA3B/0x3FF7154760000000/'
; RUN[amd]: offloadc %s --offload-arch=gfx90a --kernel=k --emit=codegen=- | grep -oE "v_(sin|fract|exp|rcp|fma|mul|sub|add)_f32"
; RUN[spirv]: offloadc %s --offload-arch=spirv64 --kernel=k --emit=image=x.spv; spirv-dis x.spv | grep -oE "native_[a-z0-9]*"
; RUN[old]: offloadc %s --offload-arch=sm_70 --kernel=k --emit=codegen=- | grep -oE "(sin|tanh|ex2|rcp|div).approx.f32"
; RUN[cpu]: offloadc %s --offload-arch=cpu --kernel=k -O0 --emit=flavor=- | grep -oE "call float @__offload_math[^(]*" | sort -u
; REQUIRES: spirv-dis

declare float @__offload_fast_sin(float)
declare float @__offload_fast_exp(float)
declare float @__offload_fast_tanh(float)
declare float @__offload_fast_rcp(float)

define void @k(ptr %out, float %x) {
  %sin = call float @__offload_fast_sin(float %x)
  %exp = call float @__offload_fast_exp(float %sin)
  %tanh = call float @__offload_fast_tanh(float %exp)
  %rcp = call float @__offload_fast_rcp(float %tanh)
  store float %rcp, ptr %out
  ret void
}
;;; stdout[nvidia]
;
; ; Function Attrs: alwaysinline
; define internal float @__offload_fast_sin(float %0) #0 {
; entry:
;   %1 = call float @llvm.nvvm.sin.approx.f(float %0)
;   ret float %1
; }
;
; ; Function Attrs: alwaysinline
; define internal float @__offload_fast_exp(float %0) #0 {
; entry:
;   %1 = fmul float %0, 0x3FF7154760000000
;   %2 = call float @__offload_fast_exp2(float %1)
;   ret float %2
; }
;
; ; Function Attrs: alwaysinline
; define internal float @__offload_fast_tanh(float %0) #0 {
; entry:
;   %1 = call float asm "tanh.approx.f32 $0, $1;", "=f,f"(float %0) #2
;   ret float %1
; }
;
; ; Function Attrs: alwaysinline
; define internal float @__offload_fast_rcp(float %0) #0 {
; entry:
;   %1 = fdiv afn float 1.000000e+00, %0
;   ret float %1
; }
;
; define void @k(ptr %out, float %x) {
;   %sin = call float @__offload_fast_sin(float %x)
;   %exp = call float @__offload_fast_exp(float %sin)
;   %tanh = call float @__offload_fast_tanh(float %exp)
;   %rcp = call float @__offload_fast_rcp(float %tanh)
;   store float %rcp, ptr %out, align 4
;   ret void
; }
;
; ; Function Attrs: alwaysinline
; define internal float @__offload_fast_exp2(float %0) #0 {
; entry:
;   %1 = call float @llvm.nvvm.ex2.approx.f32(float %0)
;   ret float %1
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
; declare float @llvm.nvvm.ex2.approx.f32(float) #1
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
; declare float @llvm.nvvm.sin.approx.f(float) #1
;
; attributes #0 = { alwaysinline }
; attributes #1 = { nocallback nofree nosync nounwind willreturn memory(none) }
; attributes #2 = { nounwind willreturn memory(none) }
;;; stdout[amd]
; v_mul_f32
; v_sin_f32
; v_mul_f32
; v_exp_f32
; v_add_f32
; v_mul_f32
; v_exp_f32
; v_add_f32
; v_rcp_f32
; v_add_f32
; v_sub_f32
; v_rcp_f32
;;; stdout[spirv]
; native_sin
; native_exp
; native_exp
; native_recip
; native_recip
;;; stdout[old]
; sin.approx.f32
; ex2.approx.f32
; ex2.approx.f32
; rcp.approx.f32
; rcp.approx.f32
;;; stdout[cpu]
; call float @__offload_math.expf
; call float @__offload_math.sinf
; call float @__offload_math.tanhf
