; A function of the host that kernels call is a number in device code, and nothing of the function is there; in host code
; it is its address. One that no kernel calls has no number.
; RUN[kernels]: offloadc %s --offload-arch=cpu --emit=kernels=-
; RUN[split]: offloadc %s --offload-arch=cpu --emit=split=- | grep -v "^target"
; RUN[defined]: offloadc %s --offload-arch=cpu --runtime=none -o o.o && llvm-nm o.o | grep -o '[a-zA-Z] __offload_host_function.*' | sed -E 's/[0-9a-f]{16}/HASH/'
; RUN[inspect]: offloadc %s --offload-arch=cpu -o o.o && offloadc inspect o.o | grep -o '; calls the host'

target triple = "x86_64-unknown-linux-gnu"

@text = internal constant [4 x i8] c"abc\00"

declare i64 @__offload_host_function(ptr)
declare i32 @__offload_call_host(i64, ptr, i64, ptr, i64)
declare i32 @puts(ptr)

define internal i32 @unused(ptr %arguments, ptr %result, ptr %text, i64 %capacity) {
  ret i32 0
}

define internal i32 @say(ptr %arguments, ptr %result, ptr %text, i64 %capacity) {
  %printed = call i32 @puts(ptr @text)
  ret i32 0
}

define i64 @address() {
  %other = call i64 @__offload_host_function(ptr @unused)
  %own = call i64 @__offload_host_function(ptr @say)
  %sum = add i64 %own, %other
  ret i64 %sum
}

define ptx_kernel void @k(ptr %out) {
  %number = call i64 @__offload_host_function(ptr @say)
  %status = call i32 @__offload_call_host(i64 %number, ptr null, i64 0, ptr null, i64 0)
  store i32 %status, ptr %out
  ret void
}
;;; stdout[kernels]
; k (k): plain, found by its calling convention
;   0: pointer at 0, 8 bytes, aligned to 8
; host function: unused
; host function: say
;;; stdout[split]
;
; declare i32 @__offload_call_host(i64, ptr, i64, ptr, i64)
;
; define void @k(ptr %out) {
;   %number = call i64 @__offload_value_of.16777216(ptr null), !offload.host_function !0
;   %status = call i32 @__offload_call_host(i64 %number, ptr null, i64 0, ptr null, i64 0)
;   store i32 %status, ptr %out, align 4
;   ret void
; }
;
; ; Function Attrs: alwaysinline
; define internal i64 @__offload_value_of.16777216(ptr %0) #0 {
; entry:
;   ret i64 0
; }
;
; attributes #0 = { alwaysinline }
;
; !0 = !{i32 0}
;;; stdout[defined]
; W __offload_host_function.HASH.0
; d __offload_host_functions.HASH
;;; stdout[inspect]
; ; calls the host
