; Assembly and intrinsics of the host that have a meaning anywhere get it; `cpuid` says there is nothing optional, and
; what was compiled for optional features is a trap.
; RUN: offloadc %s --offload-arch=cpu --emit=legalize=-

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr noalias %out, double %x, float %y, i64 %n) {
  %root = call double asm inteldialect "sqrtsd ${0:x}, ${0:x}", "=&x,0,~{dirflag},~{fpsr},~{flags}"(double %x)
  %sum = call float asm inteldialect "vfmadd213ss ${0:x}, ${2:x}, ${3:x}", "=&x,0,x,x,~{flags}"(float %y, float 2.0, float 3.0)
  %four = call double asm inteldialect "vfmaddsd ${0:x}, ${0:x}, ${2:x}, ${3:x}", "=&x,0,x,x,~{flags}"(double %root, double %x, double 1.0)
  %same = call i64 asm sideeffect inteldialect "", "=&r,0,~{dirflag},~{fpsr},~{flags}"(i64 %n)
  %leaf = call { i32, i64, i32, i32 } asm sideeffect inteldialect "mov ${0:q}, rbx\0Acpuid\0Axchg ${0:q}, rbx", "=&{ax},=&r,=&{cx},=&{dx},0,2,~{memory}"(i32 7, i32 0)
  %features = extractvalue { i32, i64, i32, i32 } %leaf, 0
  call void @llvm.x86.sse2.pause()
  call void @llvm.x86.sse2.mfence()
  %c = icmp ne i32 %features, 0
  br i1 %c, label %fast, label %slow
fast:
  %moved = call i32 @of_avx2(ptr %out)
  br label %slow
slow:
  store double %four, ptr %out
  store float %sum, ptr %out
  store i64 %same, ptr %out
  ret void
}

define internal i32 @of_avx2(ptr %p) "target-features"="+avx,+avx2" {
  %v = load <32 x i8>, ptr %p
  %mask = call i32 @llvm.x86.avx2.pmovmskb(<32 x i8> %v)
  ret i32 %mask
}

declare void @llvm.x86.sse2.pause()
declare void @llvm.x86.sse2.mfence()
declare i32 @llvm.x86.avx2.pmovmskb(<32 x i8>)
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; define void @k(ptr noalias %out, double %x, float %y, i64 %n) {
;   %1 = call double @llvm.sqrt.f64(double %x)
;   %2 = call float @llvm.fma.f32(float 2.000000e+00, float %y, float 3.000000e+00)
;   %3 = call double @llvm.fma.f64(double %1, double %x, double 1.000000e+00)
;   %features = extractvalue { i32, i64, i32, i32 } zeroinitializer, 0
;   fence seq_cst
;   %c = icmp ne i32 %features, 0
;   br i1 %c, label %fast, label %slow
;
; fast:                                             ; preds = %0
;   %moved = call i32 @of_avx2(ptr %out)
;   br label %slow
;
; slow:                                             ; preds = %fast, %0
;   store double %3, ptr %out, align 8
;   store float %2, ptr %out, align 4
;   store i64 %n, ptr %out, align 4
;   ret void
; }
;
; define internal i32 @of_avx2(ptr %p) unnamed_addr {
; entry:
;   call void @__offload_panic(i32 1, i32 0, i64 0, i64 0, i64 0)
;   unreachable
; }
;
; ; Function Attrs: nounwind
; declare void @llvm.x86.sse2.pause() #0
;
; ; Function Attrs: nounwind
; declare void @llvm.x86.sse2.mfence() #0
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
; declare i32 @llvm.x86.avx2.pmovmskb(<32 x i8>) #1
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare double @llvm.sqrt.f64(double) #2
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare float @llvm.fma.f32(float, float, float) #2
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare double @llvm.fma.f64(double, double, double) #2
;
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: readwrite)
; declare void @__offload_panic(i32, i32, i64, i64, i64) #3
;
; attributes #0 = { nounwind }
; attributes #1 = { nocallback nofree nosync nounwind willreturn memory(none) }
; attributes #2 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
; attributes #3 = { cold noreturn nounwind memory(inaccessiblemem: readwrite) }
