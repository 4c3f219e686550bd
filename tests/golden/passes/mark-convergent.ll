; What reaches a barrier is convergent and to be inlined; what does not is neither.
; RUN: offloadc %s --run-pass=mark_convergent | grep -v "^target"

declare void @__offload_sync_threads()

define internal void @waits() {
  call void @__offload_sync_threads()
  ret void
}

define void @f() {
  call void @waits()
  ret void
}

define void @alone() {
  ret void
}
;;; stdout
;
; ; Function Attrs: convergent
; declare void @__offload_sync_threads() #0
;
; ; Function Attrs: alwaysinline convergent
; define internal void @waits() #1 {
;   call void @__offload_sync_threads() #0
;   ret void
; }
;
; ; Function Attrs: alwaysinline convergent
; define void @f() #1 {
;   call void @waits() #0
;   ret void
; }
;
; define void @alone() {
;   ret void
; }
;
; attributes #0 = { convergent }
; attributes #1 = { alwaysinline convergent }
