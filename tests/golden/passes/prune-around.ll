; The side of a branch for another arch is removed; a panic without a call is kept for now.
; RUN: offloadc %s --run-pass=prune_around --offload-arch=gfx90a --kernel=k | grep -v "^target"

declare i32 @__offload_arch()

define internal void @offload_stack_full() {
  unreachable
}

define internal void @unused() {
  ret void
}

define void @k(ptr %out) {
  br i1 true, label %own, label %other
own:
  store i32 1, ptr %out
  ret void
other:
  store i32 2, ptr %out
  ret void
}
;;; stdout
;
; define internal void @offload_stack_full() {
;   unreachable
; }
;
; define void @k(ptr %out) {
; own:
;   store i32 1, ptr %out, align 4
;   ret void
; }
