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

; A function that asks for rules itself keeps them, whoever calls it. Different rules in a function are an error later,
; like an invalid number. A function that only calls a math function, and one that calls such a function, are copied; a
; panic is not.
define internal float @exact(float %a) noinline {
  call void @__offload_fp_contract(i32 0)
  %product = fmul float %a, %a
  ret float %product
}

define internal float @root(float %a) {
  %root = call float @"__offload_math.sqrtf"(float %a)
  ret float %root
}

define internal float @roots(float %a) {
  %root = call float @root(float %a)
  ret float %root
}

define internal void @_ZN4core9panicking5panic17h0123456789abcdefE(float %a) noreturn {
  %product = fmul float %a, %a
  unreachable
}

define float @calls(ptr %f, float %a) noinline {
  call void @__offload_fast_math()
  %exact = call float @exact(float %a)
  %roots = call float @roots(float %exact)
  %unknown = call float %f(float %roots)
  call void @_ZN4core9panicking5panic17h0123456789abcdefE(float %a)
  ret float %unknown
}

define float @both(float %a) {
  call void @__offload_fast_math()
  call void @__offload_fp_contract(i32 0)
  %product = fmul float %a, %a
  ret float %product
}

define float @none(float %a) {
  call void @__offload_fp_contract(i32 2)
  %product = fmul float %a, %a
  ret float %product
}

declare void @__offload_fast_math()
declare float @"__offload_math.sqrtf"(float)
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
;   %a = call float @helper.6(float 2.000000e+00)
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
; define internal float @exact(float %a) #1 {
;   %product = fmul float %a, %a
;   ret float %product
; }
;
; define internal float @root(float %a) {
;   %root = call float @__offload_math.sqrtf(float %a)
;   ret float %root
; }
;
; define internal float @roots(float %a) {
;   %root = call float @root(float %a)
;   ret float %root
; }
;
; ; Function Attrs: noreturn
; define internal void @_ZN4core9panicking5panic17h0123456789abcdefE(float %a) #2 {
;   %product = fmul float %a, %a
;   unreachable
; }
;
; define float @calls(ptr %f, float %a) #3 {
;   %exact = call float @exact(float %a)
;   %roots = call float @roots.2(float %exact)
;   %unknown = call float %f(float %roots)
;   call void @_ZN4core9panicking5panic17h0123456789abcdefE(float %a)
;   ret float %unknown
; }
;
; define float @both(float %a) {
;   call void @__offload_fast_math()
;   call void @__offload_fp_contract(i32 0)
;   %product = fmul float %a, %a
;   ret float %product
; }
;
; define float @none(float %a) {
;   call void @__offload_fp_contract(i32 2)
;   %product = fmul float %a, %a
;   ret float %product
; }
;
; declare void @__offload_fast_math()
;
; declare float @__offload_math.sqrtf(float)
;
; define internal float @roots.2(float %a) #3 {
;   %root = call float @root.4(float %a)
;   ret float %root
; }
;
; define internal float @root.4(float %a) #3 {
;   %root = call float @__offload_math.sqrtf(float %a)
;   ret float %root
; }
;
; define internal float @helper.6(float %a) #0 {
;   %product = fmul float %a, %a
;   ret float %product
; }
;
; attributes #0 = { "offload-float-rules"="contract" }
; attributes #1 = { "offload-float-rules"="exact" }
; attributes #2 = { noreturn }
; attributes #3 = { "offload-float-rules"="fast" }
