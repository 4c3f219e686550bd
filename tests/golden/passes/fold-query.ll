; The question which arch this is has a constant answer.
; RUN: offloadc %s --run-pass=fold_query --offload-arch=sm_80 | grep -v "^target"
; RUN[other]: offloadc %s --run-pass=fold_query --offload-arch=gfx90a | grep -v "^target"

declare i32 @__offload_arch()

define i32 @f() {
  %arch = call i32 @__offload_arch()
  ret i32 %arch
}
;;; stdout
;
; ; Function Attrs: alwaysinline
; define internal i32 @__offload_arch() #0 {
; entry:
;   ret i32 33554512
; }
;
; define i32 @f() {
;   %arch = call i32 @__offload_arch()
;   ret i32 %arch
; }
;
; attributes #0 = { alwaysinline }
;;; stdout[other]
;
; ; Function Attrs: alwaysinline
; define internal i32 @__offload_arch() #0 {
; entry:
;   ret i32 50333962
; }
;
; define i32 @f() {
;   %arch = call i32 @__offload_arch()
;   ret i32 %arch
; }
;
; attributes #0 = { alwaysinline }
