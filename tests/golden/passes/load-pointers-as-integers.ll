; A pointer is loaded as an integer, because the back end takes the type of a load for that of the memory.
; RUN: offloadc %s --run-pass=load_pointers_as_integers --offload-arch=spirv64 | grep -v "^target"

define ptr addrspace(4) @f(ptr addrspace(1) %p) {
  %r = load ptr addrspace(4), ptr addrspace(1) %p, align 8
  ret ptr addrspace(4) %r
}
;;; stdout
;
; define ptr addrspace(4) @f(ptr addrspace(1) %p) {
;   %1 = load i64, ptr addrspace(1) %p, align 8
;   %2 = inttoptr i64 %1 to ptr addrspace(4)
;   ret ptr addrspace(4) %2
; }
