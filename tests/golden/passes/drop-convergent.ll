; What no longer reaches a convergent operation is not convergent any more.
; RUN: offloadc %s --run-pass=drop_convergent | grep -v "^target"

declare void @__offload_sync_threads() convergent

define internal void @empty() convergent {
  ret void
}

define void @f() convergent {
  call void @empty() convergent
  ret void
}

define void @waits() convergent {
  call void @__offload_sync_threads() convergent
  ret void
}
;;; stdout
;
; ; Function Attrs: convergent
; declare void @__offload_sync_threads() #0
;
; define internal void @empty() {
;   ret void
; }
;
; define void @f() {
;   call void @empty()
;   ret void
; }
;
; ; Function Attrs: convergent
; define void @waits() #0 {
;   call void @__offload_sync_threads() #0
;   ret void
; }
;
; attributes #0 = { convergent }
