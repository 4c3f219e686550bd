; What is marked to be inlined is, and nothing else.
; RUN: offloadc %s --run-pass=inline_marked --offload-arch=cpu | grep -v "^target"

define internal i32 @marked() alwaysinline {
  ret i32 1
}

define internal i32 @plain() {
  ret i32 2
}

define i32 @f() {
  %a = call i32 @marked()
  %b = call i32 @plain()
  %r = add i32 %a, %b
  ret i32 %r
}
;;; stdout
;
; define internal i32 @plain() {
;   ret i32 2
; }
;
; define i32 @f() {
;   %b = call i32 @plain()
;   %r = add i32 1, %b
;   ret i32 %r
; }
