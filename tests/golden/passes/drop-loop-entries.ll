; The marks that `keep_loop_entries` has made are removed.
; RUN: offloadc %s --run-pass=drop_loop_entries --offload-arch=gfx90a | grep -v "^target"

declare void @llvm.sideeffect()

define void @loops(ptr %p) {
  store i32 0, ptr %p
  call void @llvm.sideeffect()
  ret void
}
;;; stdout
;
; define void @loops(ptr %p) {
;   store i32 0, ptr %p, align 4
;   ret void
; }
