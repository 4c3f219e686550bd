; Functions that are marked to be inlined are, and no others except math functions that have one branch: the vectoriser
; does not look into functions.
; RUN: offloadc %s --run-pass=inline_marked --offload-arch=cpu | grep -v "^target"

define internal i32 @marked() alwaysinline {
  ret i32 1
}

define internal i32 @plain() {
  ret i32 2
}

define float @__offload_math.expf(float %x) {
  ret float %x
}

define float @__offload_math.asinhf(float %x) {
  ret float %x
}

define float @g(float %x) {
  %a = call float @__offload_math.expf(float %x)
  %b = call float @__offload_math.asinhf(float %a)
  ret float %b
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
; ; Function Attrs: alwaysinline
; define float @__offload_math.expf(float %x) #0 {
;   ret float %x
; }
;
; define float @__offload_math.asinhf(float %x) {
;   ret float %x
; }
;
; define float @g(float %x) {
;   %b = call float @__offload_math.asinhf(float %x)
;   ret float %b
; }
;
; define i32 @f() {
;   %b = call i32 @plain()
;   %r = add i32 1, %b
;   ret i32 %r
; }
;
; attributes #0 = { alwaysinline }
