; A call of a panic function with another type than the function's gets the function's own type.
; RUN: offloadc %s --run-pass=match_call_types | grep -v "^target"

declare void @_ZN4core9panicking5panic17h0123456789abcdefE(ptr, i64, ptr) noreturn

define void @f(ptr %text) {
  call void @_ZN4core9panicking5panic17h0123456789abcdefE(ptr %text, i64 3)
  unreachable
}
;;; stdout
;
; ; Function Attrs: noreturn
; declare void @_ZN4core9panicking5panic17h0123456789abcdefE(ptr, i64, ptr) #0
;
; define void @f(ptr %text) {
;   call void @_ZN4core9panicking5panic17h0123456789abcdefE(ptr %text, i64 3, ptr null)
;   unreachable
; }
;
; attributes #0 = { noreturn }
