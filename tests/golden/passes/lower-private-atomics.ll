; Private memory belongs to one thread, so accesses to it need not be atomic. All other accesses stay as they are.
; RUN: offloadc %s --run-pass=lower_private_atomics --offload-arch=gfx90a | grep -v "^target"

define i32 @f(ptr addrspace(5) %p, ptr addrspace(1) %g) {
  %a = atomicrmw umax ptr addrspace(5) %p, i32 7 seq_cst
  %b = cmpxchg ptr addrspace(5) %p, i32 %a, i32 9 acq_rel acquire
  %c = extractvalue { i32, i1 } %b, 0
  %d = load atomic volatile i32, ptr addrspace(5) %p acquire, align 4
  store atomic i32 %c, ptr addrspace(5) %p release, align 4
  %e = atomicrmw add ptr addrspace(1) %g, i32 %d monotonic
  ret i32 %e
}
;;; stdout
;
; define i32 @f(ptr addrspace(5) %p, ptr addrspace(1) %g) {
;   %1 = load i32, ptr addrspace(5) %p, align 4
;   %2 = icmp ugt i32 %1, 7
;   %new = select i1 %2, i32 %1, i32 7
;   store i32 %new, ptr addrspace(5) %p, align 4
;   %3 = load i32, ptr addrspace(5) %p, align 4
;   %4 = icmp eq i32 %3, %1
;   %5 = select i1 %4, i32 9, i32 %3
;   store i32 %5, ptr addrspace(5) %p, align 4
;   %6 = insertvalue { i32, i1 } poison, i32 %3, 0
;   %7 = insertvalue { i32, i1 } %6, i1 %4, 1
;   %c = extractvalue { i32, i1 } %7, 0
;   %d = load volatile i32, ptr addrspace(5) %p, align 4
;   store i32 %c, ptr addrspace(5) %p, align 4
;   %e = atomicrmw add ptr addrspace(1) %g, i32 %d monotonic, align 4
;   ret i32 %e
; }
