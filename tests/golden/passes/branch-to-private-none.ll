; No generic pointer refers to a local, so nothing changes.
; RUN: offloadc %s --run-pass=branch_to_private --offload-arch=sm_80 | grep -v "^target"

define i32 @f(ptr %p) {
  %local = alloca i32
  %private = addrspacecast ptr %local to ptr addrspace(5)
  %kept = load volatile i32, ptr addrspace(5) %private
  %old = atomicrmw add ptr %p, i32 %kept seq_cst
  ret i32 %old
}
;;; stdout
;
; define i32 @f(ptr %p) {
;   %local = alloca i32, align 4
;   %private = addrspacecast ptr %local to ptr addrspace(5)
;   %kept = load volatile i32, ptr addrspace(5) %private, align 4
;   %old = atomicrmw add ptr %p, i32 %kept seq_cst, align 4
;   ret i32 %old
; }
