; A kernel that asks for rules gets copies of the functions that it calls, and another kernel keeps the originals. Functions
; without floating-point operations are not copied, and a function that is only an address keeps the rules of the build.
; RUN: offloadc %s --run-pass=take_float_rules --kernel=k --kernel=plain | grep -v "^target"

declare void @__offload_fp_contract(i32)

define internal float @helper(float %a) {
  %product = fmul float %a, %a
  ret float %product
}

define internal i32 @number(i32 %n) {
  ret i32 %n
}

define void @k(ptr %out, ptr %table) {
  call void @__offload_fp_contract(i32 1)
  %a = call float @helper(float 2.0)
  %n = call i32 @number(i32 1)
  store float %a, ptr %out
  store ptr @helper, ptr %table
  ret void
}

define void @plain(ptr %out) {
  %a = call float @helper(float 3.0)
  store float %a, ptr %out
  ret void
}
;;; stdout
;
; declare void @__offload_fp_contract(i32)
;
; define internal float @helper(float %a) {
;   %product = fmul float %a, %a
;   ret float %product
; }
;
; define internal i32 @number(i32 %n) {
;   ret i32 %n
; }
;
; define void @k(ptr %out, ptr %table) #0 {
;   %a = call float @helper.2(float 2.000000e+00)
;   %n = call i32 @number(i32 1)
;   store float %a, ptr %out, align 4
;   store ptr @helper, ptr %table, align 8
;   ret void
; }
;
; define void @plain(ptr %out) {
;   %a = call float @helper(float 3.000000e+00)
;   store float %a, ptr %out, align 4
;   ret void
; }
;
; define internal float @helper.2(float %a) #0 {
;   %product = fmul float %a, %a
;   ret float %product
; }
;
; attributes #0 = { "offload-float-rules"="contract" }
