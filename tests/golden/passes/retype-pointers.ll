; If 0 is not the generic address space, every pointer of the host becomes a generic one.
; RUN: offloadc %s --run-pass=retype_pointers --offload-arch=spirv64 | grep -v "^target"

@head = internal global ptr null

define ptr @f(ptr %p, ptr addrspace(3) %shared) {
  %local = alloca ptr
  store ptr %p, ptr %local
  store ptr %p, ptr @head
  %loaded = load ptr, ptr %local
  ret ptr %loaded
}
;;; stdout
;
; @head = internal addrspace(4) global ptr addrspace(4) null
;
; define ptr addrspace(4) @f(ptr addrspace(4) %p, ptr addrspace(3) %shared) {
;   %local = alloca ptr addrspace(4), align 8, addrspace(4)
;   store ptr addrspace(4) %p, ptr addrspace(4) %local, align 8
;   store ptr addrspace(4) %p, ptr addrspace(4) @head, align 8
;   %loaded = load ptr addrspace(4), ptr addrspace(4) %local, align 8
;   ret ptr addrspace(4) %loaded
; }
