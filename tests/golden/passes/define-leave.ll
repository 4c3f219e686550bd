; A thread leaves its kernel by the target's intrinsic.
; RUN: offloadc %s --run-pass=define_leave --offload-arch=sm_80 | grep -v "^target"
; RUN[wave]: offloadc %s --run-pass=define_leave --offload-arch=gfx90a | grep -v "^target"

declare void @__offload_leave()

define void @f() {
  call void @__offload_leave()
  unreachable
}
;;; stdout
;
; ; Function Attrs: alwaysinline
; define internal void @__offload_leave() #0 {
; entry:
;   call void @llvm.nvvm.exit()
;   unreachable
; }
;
; define void @f() {
;   call void @__offload_leave()
;   unreachable
; }
;
; ; Function Attrs: convergent noreturn nounwind memory(inaccessiblemem: readwrite)
; declare void @llvm.nvvm.exit() #1
;
; attributes #0 = { alwaysinline }
; attributes #1 = { convergent noreturn nounwind memory(inaccessiblemem: readwrite) }
;;; stdout[wave]
;
; ; Function Attrs: alwaysinline
; define internal void @__offload_leave() #0 {
; entry:
;   call void @llvm.amdgcn.endpgm()
;   unreachable
; }
;
; define void @f() {
;   call void @__offload_leave()
;   unreachable
; }
;
; ; Function Attrs: cold convergent nocallback nofree noreturn nounwind
; declare void @llvm.amdgcn.endpgm() #1
;
; attributes #0 = { alwaysinline }
; attributes #1 = { cold convergent nocallback nofree noreturn nounwind }
