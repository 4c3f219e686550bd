; A function that reaches a barrier is inlined into the kernel.
; RUN: offloadc %s --run-pass=inline_stops --offload-arch=cpu --kernel=k | grep -v "^target"

declare void @__offload_sync_threads()

define internal void @waits() noinline {
  call void @__offload_sync_threads()
  ret void
}

define void @k(ptr %out) {
  call void @waits()
  store i32 1, ptr %out
  ret void
}
;;; stdout
;
; declare void @__offload_sync_threads()
;
; define void @k(ptr %out) {
;   call void @__offload_sync_threads()
;   store i32 1, ptr %out, align 4
;   ret void
; }
