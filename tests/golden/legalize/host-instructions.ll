; Assembly and intrinsics of the host that have a meaning anywhere get it; `cpuid` reports no optional features, and
; code that was compiled for optional features is a trap where a test of them comes before.
; RUN: offloadc -w %s --offload-arch=cpu --emit=legalize=-

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
  %wide = call { i64, i64 } asm inteldialect "div ${2:q}", "=&{dx},=&{ax},r,0,1,~{dirflag},~{fpsr},~{flags}"(i64 %n, i64 1, i64 %same)
  %rest = extractvalue { i64, i64 } %wide, 0
  %adc = call { i8, i64 } @llvm.x86.addcarry.64(i8 1, i64 %rest, i64 %n)
  %total = extractvalue { i8, i64 } %adc, 1
  store volatile i64 %total, ptr %out
  %vector = load volatile <2 x double>, ptr %out
  %above = call i32 @llvm.x86.sse2.ucomigt.sd(<2 x double> %vector, <2 x double> zeroinitializer)
  store volatile i32 %above, ptr %out
  store volatile i32 %features, ptr %out
  %known = load i32, ptr @cache
  %c = icmp ne i32 %known, 0
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

@cache = internal global i32 0

define internal i32 @of_avx2(ptr %p) "target-features"="+avx,+avx2" {
  %v = load <32 x i8>, ptr %p
  %mask = call i32 @llvm.x86.avx2.pmovmskb(<32 x i8> %v)
  ret i32 %mask
}

declare void @llvm.x86.sse2.pause()
declare void @llvm.x86.sse2.mfence()
declare { i8, i64 } @llvm.x86.addcarry.64(i8, i64, i64)
declare i32 @llvm.x86.sse2.ucomigt.sd(<2 x double>, <2 x double>)
declare i32 @llvm.x86.avx2.pmovmskb(<32 x i8>)
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; @cache = internal externally_initialized global i32 0
;
; define void @k(ptr noalias %out, double %x, float %y, i64 %n) {
;   %1 = call double @llvm.sqrt.f64(double %x)
;   %2 = call float @llvm.fma.f32(float 2.000000e+00, float %y, float 3.000000e+00)
;   %3 = call double @llvm.fma.f64(double %1, double %x, double 1.000000e+00)
;   %features = extractvalue { i32, i64, i32, i32 } zeroinitializer, 0
;   fence seq_cst
;   %4 = zext i64 %n to i128
;   %5 = zext i64 %n to i128
;   %6 = or i128 18446744073709551616, %4
;   %7 = urem i128 %6, %5
;   %8 = trunc i128 %7 to i64
;   %9 = insertvalue { i64, i64 } poison, i64 %8, 0
;   %10 = udiv i128 %6, %5
;   %11 = trunc i128 %10 to i64
;   %12 = insertvalue { i64, i64 } %9, i64 %11, 1
;   %rest = extractvalue { i64, i64 } %12, 0
;   %adc = call { i8, i64 } @offloadc.llvm.x86.addcarry.64(i8 1, i64 %rest, i64 %n)
;   %total = extractvalue { i8, i64 } %adc, 1
;   store volatile i64 %total, ptr %out, align 4
;   %vector = load volatile <2 x double>, ptr %out, align 16
;   %13 = extractelement <2 x double> %vector, i32 0
;   %14 = fcmp ogt double %13, 0.000000e+00
;   %15 = zext i1 %14 to i32
;   store volatile i32 %15, ptr %out, align 4
;   store volatile i32 %features, ptr %out, align 4
;   %known = load i32, ptr @cache, align 4
;   %c = icmp ne i32 %known, 0
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
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare double @llvm.sqrt.f64(double) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare float @llvm.fma.f32(float, float, float) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare double @llvm.fma.f64(double, double, double) #0
;
; ; Function Attrs: nounwind memory(none)
; define internal { i8, i64 } @offloadc.llvm.x86.addcarry.64(i8 %carry, i64 %a, i64 %b) unnamed_addr #1 {
;   %in = icmp ne i8 %carry, 0
;   %one = zext i1 %in to i64
;   %first = add i64 %a, %b
;   %sum = add i64 %first, %one
;   %over = icmp ult i64 %first, %a
;   %again = icmp ult i64 %sum, %first
;   %any = or i1 %over, %again
;   %out = zext i1 %any to i8
;   %result = insertvalue { i8, i64 } poison, i8 %out, 0
;   %both = insertvalue { i8, i64 } %result, i64 %sum, 1
;   ret { i8, i64 } %both
; }
;
; ; Function Attrs: cold noreturn nounwind memory(read, inaccessiblemem: readwrite)
; declare void @__offload_panic(i32, i32, i64, i64, i64) #2
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
; attributes #1 = { nounwind memory(none) }
; attributes #2 = { cold noreturn nounwind memory(read, inaccessiblemem: readwrite) }
