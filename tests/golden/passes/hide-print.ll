; The print function is no longer a builtin that is defined with the others.
; RUN: offloadc %s --run-pass=hide_print --offload-arch=spirv64 | grep -v "^target"

declare void @__offload_print(ptr, i64)

define void @f(ptr %text) {
  call void @__offload_print(ptr %text, i64 5)
  ret void
}
;;; stdout
;
; declare void @__offload_print_text(ptr, i64)
;
; define void @f(ptr %text) {
;   call void @__offload_print_text(ptr %text, i64 5)
;   ret void
; }
