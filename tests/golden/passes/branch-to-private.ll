; The address of a local is a generic pointer here, so each access through a generic pointer may be one to a local.
; PTX has no atomic instruction for a local.
; RUN: offloadc %s --run-pass=branch_to_private --offload-arch=sm_80 | grep -v "^target"

declare void @use(ptr)

define i32 @f(ptr %p, ptr addrspace(1) %g) {
  %local = alloca i32
  call void @use(ptr %local)
  %old = atomicrmw add ptr %p, i32 1 seq_cst
  store atomic i32 %old, ptr %p release, align 4
  %x = cmpxchg ptr addrspace(1) %g, i32 %old, i32 1 monotonic monotonic
  ret i32 %old
}
;;; stdout
;
; declare void @use(ptr)
;
; define i32 @f(ptr %p, ptr addrspace(1) %g) {
;   %local = alloca i32, align 4
;   call void @use(ptr %local)
;   %1 = call i1 @llvm.nvvm.isspacep.local(ptr %p)
;   br i1 %1, label %private, label %elsewhere
;
; elsewhere:                                        ; preds = %0
;   %old = atomicrmw add ptr %p, i32 1 seq_cst, align 4
;   br label %accessed
;
; private:                                          ; preds = %0
;   %2 = addrspacecast ptr %p to ptr addrspace(5)
;   %3 = atomicrmw add ptr addrspace(5) %2, i32 1 seq_cst, align 4
;   br label %accessed
;
; accessed:                                         ; preds = %private, %elsewhere
;   %4 = phi i32 [ %old, %elsewhere ], [ %3, %private ]
;   %5 = call i1 @llvm.nvvm.isspacep.local(ptr %p)
;   br i1 %5, label %private3, label %elsewhere1
;
; elsewhere1:                                       ; preds = %accessed
;   store atomic i32 %4, ptr %p release, align 4
;   br label %accessed2
;
; private3:                                         ; preds = %accessed
;   %6 = addrspacecast ptr %p to ptr addrspace(5)
;   store atomic i32 %4, ptr addrspace(5) %6 release, align 4
;   br label %accessed2
;
; accessed2:                                        ; preds = %private3, %elsewhere1
;   %x = cmpxchg ptr addrspace(1) %g, i32 %4, i32 1 monotonic monotonic, align 4
;   ret i32 %4
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
; declare i1 @llvm.nvvm.isspacep.local(ptr captures(none)) #0
;
; attributes #0 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
