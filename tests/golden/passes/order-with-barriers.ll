; An atomic load becomes a call without an ordering, before a barrier that names the memory.
; RUN: offloadc %s --run-pass=order_with_barriers --offload-arch=spirv64 | grep -v "^target"

define i32 @f(ptr addrspace(1) %p) {
  %r = load atomic i32, ptr addrspace(1) %p acquire, align 4
  fence seq_cst
  ret i32 %r
}
;;; stdout
;
; define i32 @f(ptr addrspace(1) %p) {
;   %1 = call spir_func i32 @_Z18__spirv_AtomicLoadPU3AS1Kjii(ptr addrspace(1) %p, i32 0, i32 0)
;   call spir_func void @_Z21__spirv_MemoryBarrierjj(i32 0, i32 770)
;   call spir_func void @_Z21__spirv_MemoryBarrierjj(i32 0, i32 784)
;   ret i32 %1
; }
;
; ; Function Attrs: nounwind willreturn
; declare spir_func void @_Z21__spirv_MemoryBarrierjj(i32, i32) #0
;
; ; Function Attrs: nounwind willreturn
; declare spir_func i32 @_Z18__spirv_AtomicLoadPU3AS1Kjii(ptr addrspace(1), i32, i32) #0
;
; attributes #0 = { nounwind willreturn }
