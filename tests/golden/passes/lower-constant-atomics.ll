; The contract's atomics become instructions where ordering and scope are constants.
; RUN: offloadc %s --run-pass=lower_constant_atomics | grep -v "^target"

declare i32 @__offload_atomic_add_u32(ptr, i32, i32, i32)

define i32 @f(ptr %p, i32 %ordering) {
  %known = call i32 @__offload_atomic_add_u32(ptr %p, i32 1, i32 0, i32 1)
  %unknown = call i32 @__offload_atomic_add_u32(ptr %p, i32 1, i32 %ordering, i32 1)
  ret i32 %known
}
;;; stdout
;
; declare i32 @__offload_atomic_add_u32(ptr, i32, i32, i32)
;
; define i32 @f(ptr %p, i32 %ordering) {
;   %1 = atomicrmw add ptr %p, i32 1 syncscope("device") monotonic, align 4
;   %unknown = call i32 @__offload_atomic_add_u32(ptr %p, i32 1, i32 %ordering, i32 1)
;   ret i32 %1
; }
