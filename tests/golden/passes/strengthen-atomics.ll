; A read-modify-write of an ordering has fences around it, and its scope in its text.
; RUN: offloadc %s --run-pass=strengthen_atomics --offload-arch=sm_80 | grep -v "^target"

define i32 @f(ptr addrspace(1) %p) {
  %old = atomicrmw add ptr addrspace(1) %p, i32 1 syncscope("device") acq_rel, align 4
  ret i32 %old
}
;;; stdout
;
; define i32 @f(ptr addrspace(1) %p) {
;   fence syncscope("device") release
;   %1 = call i32 asm sideeffect "atom.gpu.global.add.u32 $0, [$1], $2;", "=r,l,r,~{memory}"(ptr addrspace(1) %p, i32 1)
;   fence syncscope("device") acquire
;   ret i32 %1
; }
