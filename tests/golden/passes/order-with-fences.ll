; Before sm_70 loads and stores have no ordering, so there are fences around them.
; RUN: offloadc %s --run-pass=order_with_fences --offload-arch=sm_60 | grep -v "^target"

define i32 @f(ptr %p) {
  %a = load atomic i32, ptr %p acquire, align 4
  store atomic i32 %a, ptr %p release, align 4
  %b = load atomic i32, ptr %p monotonic, align 4
  ret i32 %b
}

; A sequentially consistent access has a fence on each side, with the scope of the access.
define i32 @g(ptr %p) {
  store atomic i32 1, ptr %p syncscope("block") seq_cst, align 4
  %a = load atomic i32, ptr %p seq_cst, align 4
  ret i32 %a
}

; An unordered access, one that is not atomic, and a read-modify-write operation stay as they are.
define i32 @h(ptr %p) {
  %a = load atomic i32, ptr %p unordered, align 4
  store i32 %a, ptr %p, align 4
  %b = atomicrmw add ptr %p, i32 1 acq_rel
  ret i32 %b
}
;;; stdout
;
; define i32 @f(ptr %p) {
;   %a = load atomic i32, ptr %p monotonic, align 4
;   fence acquire
;   fence release
;   store atomic i32 %a, ptr %p monotonic, align 4
;   %b = load atomic i32, ptr %p monotonic, align 4
;   ret i32 %b
; }
;
; define i32 @g(ptr %p) {
;   fence syncscope("block") seq_cst
;   store atomic i32 1, ptr %p syncscope("block") monotonic, align 4
;   fence syncscope("block") seq_cst
;   fence seq_cst
;   %a = load atomic i32, ptr %p monotonic, align 4
;   fence seq_cst
;   ret i32 %a
; }
;
; define i32 @h(ptr %p) {
;   %a = load atomic i32, ptr %p unordered, align 4
;   store i32 %a, ptr %p, align 4
;   %b = atomicrmw add ptr %p, i32 1 acq_rel, align 4
;   ret i32 %b
; }
