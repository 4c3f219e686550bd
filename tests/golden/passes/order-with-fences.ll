; Before sm_70 loads and stores have no ordering, so fences stand around them.
; RUN: offloadc %s --run-pass=order_with_fences --offload-arch=sm_60 | grep -v "^target"

define i32 @f(ptr %p) {
  %a = load atomic i32, ptr %p acquire, align 4
  store atomic i32 %a, ptr %p release, align 4
  %b = load atomic i32, ptr %p monotonic, align 4
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
