; Assembly of the host's processor that computes becomes the operation that it stands for, and empty assembly its operand.
; RUN: offloadc %s --run-pass=translate_host --kernel=k | grep -v "^target"

define void @k(ptr %out, double %x, i32 %n) {
  %root = call double asm inteldialect "sqrtsd ${0:x}, ${0:x}", "=&x,0,~{dirflag},~{fpsr},~{flags}"(double %x)
  %hidden = call i32 asm sideeffect inteldialect "", "=r,0"(i32 %n)
  store double %root, ptr %out
  store i32 %hidden, ptr %out
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
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare double @llvm.sqrt.f64(double) #0
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
