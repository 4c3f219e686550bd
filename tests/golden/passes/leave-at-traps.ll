; A trap is a write to address 0, which a device refuses.
; RUN: offloadc %s --run-pass=leave_at_traps --offload-arch=spirv64 | grep -v "^target"

define void @f(i1 %c) {
  br i1 %c, label %bad, label %good
bad:
  call void @llvm.trap()
  unreachable
good:
  ret void
}
;;; stdout
;
; define void @f(i1 %c) {
;   br i1 %c, label %bad, label %good
;
; bad:                                              ; preds = %0
;   store volatile i8 0, ptr addrspace(1) null, align 1
;   unreachable
;
; good:                                             ; preds = %0
;   ret void
; }
;
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
; declare void @llvm.trap() #0
;
; attributes #0 = { cold noreturn nounwind memory(inaccessiblemem: write) }
