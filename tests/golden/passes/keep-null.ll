; Null of shared memory is the largest number, because a static may stand at 0.
; RUN: offloadc %s --run-pass=keep_null --offload-arch=sm_80 | grep -v "^target"

define i1 @f(ptr addrspace(3) %p) {
  %is.null = icmp eq ptr addrspace(3) %p, addrspacecast (ptr null to ptr addrspace(3))
  ret i1 %is.null
}

define ptr @generic(ptr addrspace(3) %p) {
  %generic = addrspacecast ptr addrspace(3) %p to ptr
  ret ptr %generic
}
;;; stdout
;
; define i1 @f(ptr addrspace(3) %p) {
;   %is.null = icmp eq ptr addrspace(3) %p, inttoptr (i64 -1 to ptr addrspace(3))
;   ret i1 %is.null
; }
;
; define ptr @generic(ptr addrspace(3) %p) {
;   %generic = addrspacecast ptr addrspace(3) %p to ptr
;   ret ptr %generic
; }
