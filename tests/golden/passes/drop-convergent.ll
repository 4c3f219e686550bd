; A function that no longer reaches a convergent operation loses `convergent`. Empty assembly keeps a loop whole, and
; tokens of convergence are valid in convergent functions only.
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

define void @whole() convergent {
  call void asm sideeffect "", ""() convergent
  ret void
}

define void @tokens() convergent {
  %token = call token @llvm.experimental.convergence.entry()
  call void @empty() convergent [ "convergencectrl"(token %token) ]
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
; define void @whole() {
;   call void asm sideeffect "", ""() #0
;   ret void
; }
;
; ; Function Attrs: convergent
; define void @tokens() #0 {
;   %token = call token @llvm.experimental.convergence.entry()
;   call void @empty() #0 [ "convergencectrl"(token %token) ]
;   ret void
; }
;
; ; Function Attrs: convergent nocallback nofree nosync nounwind willreturn memory(none)
; declare token @llvm.experimental.convergence.entry() #1
;
; attributes #0 = { convergent }
; attributes #1 = { convergent nocallback nofree nosync nounwind willreturn memory(none) }
