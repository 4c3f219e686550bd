; The declaration of an intrinsic by name has the attributes of the intrinsic.
; RUN: offloadc %s --run-pass=describe_intrinsics | grep -v "^target"

declare float @"__offload_intrinsic.llvm.sqrt.f32"(float)
declare void @"__offload_intrinsic.llvm.nvvm.barrier0"()

define float @f(float %x) {
  %r = call float @"__offload_intrinsic.llvm.sqrt.f32"(float %x)
  ret float %r
}
;;; stdout
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
; declare float @__offload_intrinsic.llvm.sqrt.f32(float) #0
;
; ; Function Attrs: convergent
; declare void @__offload_intrinsic.llvm.nvvm.barrier0() #1
;
; define float @f(float %x) {
;   %r = call float @__offload_intrinsic.llvm.sqrt.f32(float %x) #2
;   ret float %r
; }
;
; attributes #0 = { nocallback nofree nosync nounwind willreturn memory(none) }
; attributes #1 = { convergent }
; attributes #2 = { nomerge }
