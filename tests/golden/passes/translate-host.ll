; Assembly of the host's processor that computes becomes the operation that it stands for, and empty assembly its operand.
; Other assembly stays and is refused in kernels: an instruction of a float whose operand has another type, several
; instructions, and one that may access memory. Without a result, empty assembly goes.
; RUN: offloadc %s --run-pass=translate_host --kernel=k | grep -v "^target"

define void @k(ptr %out, double %x, i32 %n) {
  %root = call double asm inteldialect "sqrtsd ${0:x}, ${0:x}", "=&x,0,~{dirflag},~{fpsr},~{flags}"(double %x)
  %hidden = call i32 asm sideeffect inteldialect "", "=r,0"(i32 %n)
  store double %root, ptr %out
  store i32 %hidden, ptr %out
  ret void
}

define void @others(ptr %out, double %x, double %y, double %z, float %s, <2 x double> %v) {
  %single = call double asm inteldialect "sqrtss ${0:x}, ${0:x}", "=&x,0,~{flags}"(double %x)
  store volatile double %single, ptr %out
  %double = call float asm inteldialect "sqrtsd ${0:x}, ${0:x}", "=&x,0,~{flags}"(float %s)
  store volatile float %double, ptr %out
  %vector = call <2 x double> asm inteldialect "sqrtsd ${0:x}, ${0:x}", "=&x,0,~{flags}"(<2 x double> %v)
  store volatile <2 x double> %vector, ptr %out
  %two = call double asm inteldialect "sqrtsd ${0:x}, ${0:x}\0Asqrtsd ${0:x}, ${0:x}", "=&x,0,~{flags}"(double %x)
  store volatile double %two, ptr %out
  %memory = call double asm inteldialect "sqrtsd ${0:x}, ${0:x}", "=&x,0,~{memory}"(double %x)
  store volatile double %memory, ptr %out
  %other = call double asm inteldialect "addsd ${0:x}, ${0:x}", "=&x,0,~{flags}"(double %x)
  store volatile double %other, ptr %out
  %fused = call double asm inteldialect "vfmadd213sd ${0:x}, ${2:x}, ${3:x}", "=&x,0,x,x"(double %x, double %y, double %z)
  store volatile double %fused, ptr %out
  %root = call float asm inteldialect "sqrtss ${0:x}, ${0:x}", "=&x,0,~{flags}"(float %s)
  store volatile float %root, ptr %out
  %written = call double asm inteldialect "sqrtsd ${1:x}, ${0:x}", "=&x,0,~{flags}"(double %x)
  store volatile double %written, ptr %out
  call void asm sideeffect "# nothing", ""()
  call void asm sideeffect "nop", ""()
  ret void
}
;;; stdout
;
; define void @k(ptr %out, double %x, i32 %n) {
;   %1 = call double @llvm.sqrt.f64(double %x)
;   store double %1, ptr %out, align 8
;   store i32 %n, ptr %out, align 4
;   ret void
; }
;
; define void @others(ptr %out, double %x, double %y, double %z, float %s, <2 x double> %v) {
;   %single = call double asm inteldialect "sqrtss ${0:x}, ${0:x}", "=&x,0,~{flags}"(double %x)
;   store volatile double %single, ptr %out, align 8
;   %double = call float asm inteldialect "sqrtsd ${0:x}, ${0:x}", "=&x,0,~{flags}"(float %s)
;   store volatile float %double, ptr %out, align 4
;   %vector = call <2 x double> asm inteldialect "sqrtsd ${0:x}, ${0:x}", "=&x,0,~{flags}"(<2 x double> %v)
;   store volatile <2 x double> %vector, ptr %out, align 16
;   %two = call double asm inteldialect "sqrtsd ${0:x}, ${0:x}\0Asqrtsd ${0:x}, ${0:x}", "=&x,0,~{flags}"(double %x)
;   store volatile double %two, ptr %out, align 8
;   %memory = call double asm inteldialect "sqrtsd ${0:x}, ${0:x}", "=&x,0,~{memory}"(double %x)
;   store volatile double %memory, ptr %out, align 8
;   %other = call double asm inteldialect "addsd ${0:x}, ${0:x}", "=&x,0,~{flags}"(double %x)
;   store volatile double %other, ptr %out, align 8
;   %1 = call double @llvm.fma.f64(double %y, double %x, double %z)
;   store volatile double %1, ptr %out, align 8
;   %2 = call float @llvm.sqrt.f32(float %s)
;   store volatile float %2, ptr %out, align 4
;   %written = call double asm inteldialect "sqrtsd ${1:x}, ${0:x}", "=&x,0,~{flags}"(double %x)
;   store volatile double %written, ptr %out, align 8
;   call void asm sideeffect "nop", ""()
;   ret void
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare double @llvm.sqrt.f64(double) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare double @llvm.fma.f64(double, double, double) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare float @llvm.sqrt.f32(float) #0
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
