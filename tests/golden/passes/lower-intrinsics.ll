; Calls of an intrinsic by name call the intrinsic, with values of LLVM's types.
; RUN: offloadc %s --run-pass=lower_intrinsics --offload-arch=sm_80 | grep -v "^target"

declare float @"__offload_intrinsic.llvm.sqrt.f32"(float)

define float @f(float %x) {
  %r = call float @"__offload_intrinsic.llvm.sqrt.f32"(float %x)
  ret float %r
}
;;; stdout
;
; define float @f(float %x) {
;   %1 = call float @llvm.sqrt.f32(float %x)
;   ret float %1
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare float @llvm.sqrt.f32(float) #0
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
