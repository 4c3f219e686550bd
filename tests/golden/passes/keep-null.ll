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

; A cast of no address, and one of null that stays generic, are no null of another address space.
define void @others(ptr addrspace(3) %p, ptr %g, i1 %c, ptr %out) {
  %other = icmp eq ptr addrspace(3) %p, addrspacecast (ptr inttoptr (i64 64 to ptr) to ptr addrspace(3))
  store volatile i1 %other, ptr %out
  %generic = addrspacecast ptr addrspace(3) null to ptr
  store volatile ptr %generic, ptr %out
  %global = icmp eq ptr addrspace(1) addrspacecast (ptr null to ptr addrspace(1)), null
  store volatile i1 %global, ptr %out
  ret void
}

; A generic pointer is compared with null as an integer, and with another pointer as it is.
define i1 @compared(ptr %p, ptr %q, ptr %out) {
  %same = icmp eq ptr %p, %q
  store volatile i1 %same, ptr %out
  %left = icmp ne ptr null, %p
  store volatile i1 %left, ptr %out
  %right = icmp eq ptr %p, null
  ret i1 %right
}

; Null in the phi of a loop, and in a freeze.
define ptr @looped(ptr addrspace(3) %p, i1 %c) {
entry:
  br label %turn
turn:
  %at = phi ptr addrspace(3) [ %p, %entry ], [ %next, %turn ]
  %next = select i1 %c, ptr addrspace(3) %at, ptr addrspace(3) addrspacecast (ptr null to ptr addrspace(3))
  br i1 %c, label %turn, label %end
end:
  %frozen = freeze ptr addrspace(3) %at
  %generic = addrspacecast ptr addrspace(3) %frozen to ptr
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
;
; define void @others(ptr addrspace(3) %p, ptr %g, i1 %c, ptr %out) {
;   %other = icmp eq ptr addrspace(3) %p, addrspacecast (ptr inttoptr (i64 64 to ptr) to ptr addrspace(3))
;   store volatile i1 %other, ptr %out, align 1
;   %generic = addrspacecast ptr addrspace(3) null to ptr
;   store volatile ptr %generic, ptr %out, align 8
;   %global = icmp eq ptr addrspace(1) null, null
;   store volatile i1 %global, ptr %out, align 1
;   ret void
; }
;
; define i1 @compared(ptr %p, ptr %q, ptr %out) {
;   %same = icmp eq ptr %p, %q
;   store volatile i1 %same, ptr %out, align 1
;   %1 = ptrtoint ptr %p to i64
;   %2 = icmp ne i64 0, %1
;   store volatile i1 %2, ptr %out, align 1
;   %3 = ptrtoint ptr %p to i64
;   %4 = icmp eq i64 %3, 0
;   ret i1 %4
; }
;
; define ptr @looped(ptr addrspace(3) %p, i1 %c) {
; entry:
;   br label %turn
;
; turn:                                             ; preds = %turn, %entry
;   %at = phi ptr addrspace(3) [ %p, %entry ], [ %next, %turn ]
;   %next = select i1 %c, ptr addrspace(3) %at, ptr addrspace(3) inttoptr (i64 -1 to ptr addrspace(3))
;   br i1 %c, label %turn, label %end
;
; end:                                              ; preds = %turn
;   %frozen = freeze ptr addrspace(3) %at
;   %generic = addrspacecast ptr addrspace(3) %frozen to ptr
;   %0 = icmp eq ptr addrspace(3) %frozen, inttoptr (i64 -1 to ptr addrspace(3))
;   %1 = ptrtoint ptr %generic to i64
;   %2 = select i1 %0, i64 0, i64 %1
;   %3 = inttoptr i64 %2 to ptr
;   ret ptr %3
; }
