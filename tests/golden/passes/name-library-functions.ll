; An operation that SPIR-V's back end has no instruction for calls OpenCL's function.
; RUN: offloadc %s --run-pass=name_library_functions --offload-arch=spirv64 | grep -v "^target"

define float @f(float %x) {
  %r = call float @llvm.canonicalize.f32(float %x)
  %s = call float @llvm.exp10.f32(float %r)
  ret float %s
}
;;; stdout
;
; define float @f(float %x) {
;   %r = call float @llvm.canonicalize.f32(float %x)
;   %1 = call spir_func float @_Z5exp10f(float %r)
;   ret float %1
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare float @llvm.canonicalize.f32(float) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare float @llvm.exp10.f32(float) #0
;
; ; Function Attrs: nounwind willreturn memory(none)
; declare spir_func float @_Z5exp10f(float) #1
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
; attributes #1 = { nounwind willreturn memory(none) }
