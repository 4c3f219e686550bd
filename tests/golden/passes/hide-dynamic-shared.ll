; Launch-sized memory is no builtin to be defined any more.
; RUN: offloadc %s --run-pass=hide_dynamic_shared --offload-arch=spirv64 | grep -v "^target"

declare ptr @__offload_dynamic_shared()

define ptr @f() {
  %r = call ptr @__offload_dynamic_shared()
  ret ptr %r
}
;;; stdout
;
; declare ptr @__offload_dynamic_shared_address()
;
; define ptr @f() {
;   %r = call ptr @__offload_dynamic_shared_address()
;   ret ptr %r
; }
