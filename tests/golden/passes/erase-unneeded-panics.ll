; The panic of a full stack stays only where the stack is an array of the thread.
; RUN: offloadc %s --run-pass=erase_unneeded_panics --offload-arch=cpu | grep -v "^target"
; RUN[fixed]: offloadc %s --run-pass=erase_unneeded_panics --offload-arch=gfx90a | grep -v "^target"

define void @offload_stack_full() {
  unreachable
}
;;; stdout[fixed]
;
; define void @offload_stack_full() {
;   unreachable
; }
