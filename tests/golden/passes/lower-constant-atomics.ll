; The contract's atomics become instructions where ordering and scope are constants.
; RUN: offloadc %s --run-pass=lower_constant_atomics | grep -v "^target"

declare i32 @__offload_atomic_add_u32(ptr, i32, i32, i32)

define i32 @f(ptr %p, i32 %ordering) {
  %known = call i32 @__offload_atomic_add_u32(ptr %p, i32 1, i32 0, i32 1)
  %unknown = call i32 @__offload_atomic_add_u32(ptr %p, i32 1, i32 %ordering, i32 1)
  ret i32 %known
}

; A declaration of another type stays, and so does a call with an invalid ordering or scope.
declare i32 @__offload_atomic_sub_u32(ptr, i32)

define i32 @g(ptr %p) {
  %mistyped = call i32 @__offload_atomic_sub_u32(ptr %p, i32 1)
  %no.ordering = call i32 @__offload_atomic_add_u32(ptr %p, i32 1, i32 9, i32 1)
  %no.scope = call i32 @__offload_atomic_add_u32(ptr %p, i32 1, i32 0, i32 9)
  ret i32 %mistyped
}

; Each operation.
declare i32 @__offload_atomic_load_u32(ptr, i32, i32)
declare void @__offload_atomic_store_u32(ptr, i32, i32, i32)
declare void @__offload_atomic_fence(i32, i32)
declare double @__offload_atomic_exchange_f64(ptr, double, i32, i32)
declare i32 @__offload_atomic_compare_exchange_u32(ptr, i32, i32, i32, i32, i32)

define double @h(ptr %p, double %x) {
  %loaded = call i32 @__offload_atomic_load_u32(ptr %p, i32 0, i32 1)
  call void @__offload_atomic_store_u32(ptr %p, i32 %loaded, i32 0, i32 2)
  call void @__offload_atomic_fence(i32 3, i32 1)
  %found = call i32 @__offload_atomic_compare_exchange_u32(ptr %p, i32 %loaded, i32 2, i32 3, i32 0, i32 1)
  %exchanged = call double @__offload_atomic_exchange_f64(ptr %p, double %x, i32 0, i32 0)
  ret double %exchanged
}

; A load cannot release.
define i32 @misordered(ptr %p) {
  %loaded = call i32 @__offload_atomic_load_u32(ptr %p, i32 3, i32 1)
  ret i32 %loaded
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
;
; declare i32 @__offload_atomic_sub_u32(ptr, i32)
;
; define i32 @g(ptr %p) {
;   %mistyped = call i32 @__offload_atomic_sub_u32(ptr %p, i32 1)
;   %no.ordering = call i32 @__offload_atomic_add_u32(ptr %p, i32 1, i32 9, i32 1)
;   %no.scope = call i32 @__offload_atomic_add_u32(ptr %p, i32 1, i32 0, i32 9)
;   ret i32 %mistyped
; }
;
; declare i32 @__offload_atomic_load_u32(ptr, i32, i32)
;
; define double @h(ptr %p, double %x) {
;   %1 = load atomic i32, ptr %p syncscope("device") monotonic, align 4
;   store atomic i32 %1, ptr %p syncscope("workgroup") monotonic, align 4
;   fence syncscope("device") release
;   %2 = cmpxchg ptr %p, i32 %1, i32 2 syncscope("device") release monotonic, align 4
;   %3 = extractvalue { i32, i1 } %2, 0
;   %4 = bitcast double %x to i64
;   %5 = atomicrmw xchg ptr %p, i64 %4 monotonic, align 8
;   %6 = bitcast i64 %5 to double
;   ret double %6
; }
;
; define i32 @misordered(ptr %p) {
;   %loaded = call i32 @__offload_atomic_load_u32(ptr %p, i32 3, i32 1)
;   ret i32 %loaded
; }
