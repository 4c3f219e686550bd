; Neutral names of scopes become the target's. A fence of one thread has none.
; RUN: offloadc %s --run-pass=name_scopes --offload-arch=gfx90a | grep -v "^target"

define i32 @f(ptr %p) {
  %a = load atomic i32, ptr %p syncscope("device") acquire, align 4
  %b = load atomic i32, ptr %p syncscope("workgroup") acquire, align 4
  %c = load atomic i32, ptr %p syncscope("subgroup") acquire, align 4
  fence syncscope("singlethread") acq_rel
  %plain = load i32, ptr %p
  ret i32 %a
}
;;; stdout
;
; define i32 @f(ptr %p) {
;   %a = load atomic i32, ptr %p syncscope("agent") acquire, align 4
;   %b = load atomic i32, ptr %p syncscope("workgroup") acquire, align 4
;   %c = load atomic i32, ptr %p syncscope("wavefront") acquire, align 4
;   fence syncscope("singlethread") acq_rel
;   %plain = load i32, ptr %p, align 4
;   ret i32 %a
; }
