; Updates that only the threads of one block see need no locked instruction on a processor. Loads and stores cost nothing
; and remain.
; RUN: offloadc %s --run-pass=relax_block_atomics --offload-arch=cpu | grep -v "^target"

define i32 @f(ptr %p) {
  %a = atomicrmw add ptr %p, i32 7 syncscope("singlethread") seq_cst
  %b = cmpxchg ptr %p, i32 %a, i32 9 syncscope("singlethread") acq_rel acquire
  %c = atomicrmw add ptr %p, i32 1 monotonic
  %d = load atomic i32, ptr %p syncscope("singlethread") acquire, align 4
  store atomic i32 %c, ptr %p syncscope("singlethread") release, align 4
  ret i32 %d
}
;;; stdout
;
; define i32 @f(ptr %p) {
;   %1 = load i32, ptr %p, align 4
;   %new = add i32 %1, 7
;   store i32 %new, ptr %p, align 4
;   %2 = load i32, ptr %p, align 4
;   %3 = icmp eq i32 %2, %1
;   %4 = select i1 %3, i32 9, i32 %2
;   store i32 %4, ptr %p, align 4
;   %5 = insertvalue { i32, i1 } poison, i32 %2, 0
;   %6 = insertvalue { i32, i1 } %5, i1 %3, 1
;   %c = atomicrmw add ptr %p, i32 1 monotonic, align 4
;   %d = load atomic i32, ptr %p syncscope("singlethread") acquire, align 4
;   store atomic i32 %c, ptr %p syncscope("singlethread") release, align 4
;   ret i32 %d
; }
