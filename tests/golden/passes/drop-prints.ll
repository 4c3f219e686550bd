; Without `--device-print` the function that prints does nothing. One that nothing calls stays a declaration, and the
; program's own definition stays.
; RUN: offloadc %s --run-pass=drop_prints | grep -v "^target"
; RUN[unused]: sed '/call/d' %s >unused.ll && offloadc unused.ll --run-pass=drop_prints | grep -v "^target"
; RUN[own]: sed 's/^declare void @__offload_print(ptr, i64)/define void @__offload_print(ptr %p, i64 %n) {\n  store i64 %n, ptr %p\n  ret void\n}/' %s >own.ll && \
;   offloadc own.ll --run-pass=drop_prints | grep -v "^target"

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
;;; stdout[unused]
;
; declare void @__offload_print(ptr, i64)
;
; define void @f(ptr %text) {
;   ret void
; }
;;; stdout[own]
;
; define void @__offload_print(ptr %p, i64 %n) {
;   store i64 %n, ptr %p, align 4
;   ret void
; }
;
; define void @f(ptr %text) {
;   call void @__offload_print(ptr %text, i64 5)
;   ret void
; }
