; Without `--device-print` the function that prints does nothing.
; RUN: offloadc %s --run-pass=drop_prints | grep -v "^target"

declare void @__offload_print(ptr, i64)

define void @f(ptr %text) {
  call void @__offload_print(ptr %text, i64 5)
  ret void
}
;;; stdout
;
; ; Function Attrs: alwaysinline
; define internal void @__offload_print(ptr %0, i64 %1) #0 {
; entry:
;   ret void
; }
;
; define void @f(ptr %text) {
;   call void @__offload_print(ptr %text, i64 5)
;   ret void
; }
;
; attributes #0 = { alwaysinline }
