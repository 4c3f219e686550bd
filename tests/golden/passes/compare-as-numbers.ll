; An address is compared with a number in the generic address space, because a cast of the number is no address.
; RUN: offloadc %s --run-pass=compare_as_numbers --offload-arch=sm_80 | grep -v "^target"

define i1 @inferred(ptr addrspace(5) %p) {
  %beyond = icmp ugt ptr addrspace(5) %p, addrspacecast (ptr inttoptr (i64 -9 to ptr) to ptr addrspace(5))
  ret i1 %beyond
}

define i1 @not.yet(ptr %p) {
  %low = icmp ult ptr inttoptr (i64 4096 to ptr), %p
  ret i1 %low
}

; Null and other pointers stay. A comparison with an address that is a number in another address space stays, too.
define i1 @others(ptr addrspace(5) %p, ptr addrspace(5) %q, ptr %g, ptr addrspace(3) %s) {
  %less = icmp ult ptr addrspace(5) %p, %q
  %is.null = icmp eq ptr %g, null
  %is.shared = icmp eq ptr addrspace(3) %s, inttoptr (i64 -1 to ptr addrspace(3))
  %one = and i1 %less, %is.null
  %both = and i1 %one, %is.shared
  ret i1 %both
}
;;; stdout
;
; define i1 @inferred(ptr addrspace(5) %p) {
;   %1 = addrspacecast ptr addrspace(5) %p to ptr
;   %2 = ptrtoint ptr %1 to i64
;   %3 = icmp ugt i64 %2, -9
;   ret i1 %3
; }
;
; define i1 @not.yet(ptr %p) {
;   %1 = ptrtoint ptr %p to i64
;   %2 = icmp ult i64 4096, %1
;   ret i1 %2
; }
;
; define i1 @others(ptr addrspace(5) %p, ptr addrspace(5) %q, ptr %g, ptr addrspace(3) %s) {
;   %less = icmp ult ptr addrspace(5) %p, %q
;   %is.null = icmp eq ptr %g, null
;   %is.shared = icmp eq ptr addrspace(3) %s, inttoptr (i64 -1 to ptr addrspace(3))
;   %one = and i1 %less, %is.null
;   %both = and i1 %one, %is.shared
;   ret i1 %both
; }
