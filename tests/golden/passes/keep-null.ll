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

; The generic pointer is chosen as a number: LLVM's back end would take a choice between pointers back to shared memory.
define ptr @chosen(ptr addrspace(3) %p, i1 %c) {
  %either = select i1 %c, ptr addrspace(3) %p, ptr addrspace(3) addrspacecast (ptr null to ptr addrspace(3))
  %generic = addrspacecast ptr addrspace(3) %either to ptr
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
;
; define ptr @chosen(ptr addrspace(3) %p, i1 %c) {
;   %either = select i1 %c, ptr addrspace(3) %p, ptr addrspace(3) inttoptr (i64 -1 to ptr addrspace(3))
;   %generic = addrspacecast ptr addrspace(3) %either to ptr
;   %1 = icmp eq ptr addrspace(3) %either, inttoptr (i64 -1 to ptr addrspace(3))
;   %2 = ptrtoint ptr %generic to i64
;   %3 = select i1 %1, i64 0, i64 %2
;   %4 = inttoptr i64 %3 to ptr
;   ret ptr %4
; }
