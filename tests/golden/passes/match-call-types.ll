; A call of a panic function or of the allocator with another type than the function's gets the function's own type. A
; function with any number of arguments is called by any type, a call that only has the address stays, and so does one of
; another function.
; RUN: offloadc %s --run-pass=match_call_types | grep -v "^target"

declare void @_ZN4core9panicking5panic17h0123456789abcdefE(ptr, i64, ptr) noreturn

define void @f(ptr %text) {
  call void @_ZN4core9panicking5panic17h0123456789abcdefE(ptr %text, i64 3)
  unreachable
}

declare ptr @_RNvCsjPkQ3xVFGkI_7___rustc12___rust_alloc(i64, i64)
declare void @_ZN4core9panicking9panic_fmt17h0123456789abcdefE(...) noreturn
declare void @takes(ptr)

define ptr @g(i32 %size) {
  %wrong = call i64 @_RNvCsjPkQ3xVFGkI_7___rustc12___rust_alloc(i32 %size, i64 8)
  %right = call ptr @_RNvCsjPkQ3xVFGkI_7___rustc12___rust_alloc(i64 %wrong, i64 8)
  call void @takes(ptr @_RNvCsjPkQ3xVFGkI_7___rustc12___rust_alloc)
  call void @takes(i32 %size)
  call void @_ZN4core9panicking9panic_fmt17h0123456789abcdefE(i32 1)
  ret ptr %right
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
; declare ptr @_RNvCsjPkQ3xVFGkI_7___rustc12___rust_alloc(i64, i64)
;
; ; Function Attrs: noreturn
; declare void @_ZN4core9panicking9panic_fmt17h0123456789abcdefE(...) #0
;
; declare void @takes(ptr)
;
; define ptr @g(i32 %size) {
;   %1 = call ptr @_RNvCsjPkQ3xVFGkI_7___rustc12___rust_alloc(i64 0, i64 8)
;   %right = call ptr @_RNvCsjPkQ3xVFGkI_7___rustc12___rust_alloc(i64 0, i64 8)
;   call void @takes(ptr @_RNvCsjPkQ3xVFGkI_7___rustc12___rust_alloc)
;   call void @takes(i32 %size)
;   call void @_ZN4core9panicking9panic_fmt17h0123456789abcdefE(i32 1)
;   ret ptr %right
; }
;
; attributes #0 = { noreturn }
