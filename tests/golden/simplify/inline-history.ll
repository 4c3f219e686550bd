; LLVM 23 writes at a call which functions it was inlined from. Later passes replace such functions, and the names would
; then make the module invalid, so they are dropped.
; RUN[simplified]: offloadc %s -O1 --offload-arch=sm_80 --emit=simplify=- | sed -n '/^define .*@k/,/^}/p'
; CHECK-NOT[simplified]: inline_history
; CHECK[simplified]: call void @store(
; CHECK-NOT[simplified]: inline_history
; CHECK[simplified]: call void %
; CHECK-NOT[simplified]: inline_history
; CHECK[simplified]: ret void
; RUN[lowered]: offloadc %s -O1 --offload-arch=sm_80 --emit=optimize=- | grep -c "^define"

target triple = "x86_64-unknown-linux-gnu"

@kept = internal constant ptr @apply

define internal void @store(ptr %to, i32 %value) noinline {
  store volatile i32 %value, ptr %to
  ret void
}

define internal void @apply(ptr %f, ptr %to, i32 %value) {
  call void %f(ptr %to, i32 %value)
  ret void
}

define ptx_kernel void @k(ptr %to) {
  call void @apply(ptr @store, ptr %to, i32 1)
  %f = load volatile ptr, ptr @kept
  call void %f(ptr @store, ptr %to, i32 2)
  ret void
}
;;; stdout[lowered]
; 5
