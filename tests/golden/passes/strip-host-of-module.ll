; Attributes of the host's processor and sections of its object file are removed, and all but kernels are internal.
; RUN: offloadc %s --run-pass=strip_host_of_module --kernel=k | grep -v "^target"

@value = constant i32 1, section ".rodata.mine"

define i32 @f() #0 section ".text.mine" {
  ret i32 2
}

define void @k(ptr %out) #0 {
  ret void
}

attributes #0 = { nonlazybind uwtable "target-cpu"="x86-64" "probe-stack"="inline-asm" }

@asked = constant i32 1, section ".offload.constant"

define float @hints(float %x) {
  call void @llvm.x86.sse2.pause()
  %most = call nsz float @llvm.maxnum.f32(float %x, float 0.0)
  %other = call nsz float @llvm.fabs.f32(float %most)
  ret float %other
}
;;; stdout
;
; @value = internal constant i32 1
; @asked = internal constant i32 1, section ".offload.constant"
;
; define internal i32 @f() unnamed_addr {
;   ret i32 2
; }
;
; define void @k(ptr %out) {
;   ret void
; }
;
; define internal float @hints(float %x) unnamed_addr {
;   %most = call float @llvm.maxnum.f32(float %x, float 0.000000e+00)
;   %other = call nsz float @llvm.fabs.f32(float %most)
;   ret float %other
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare float @llvm.fabs.f32(float) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare float @llvm.maxnum.f32(float, float) #0
;
; ; Function Attrs: nounwind
; declare void @llvm.x86.sse2.pause() #1
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
; attributes #1 = { nounwind }
