; A function that is passed as a value may be in another crate. Device code has a declaration of it until bodies are linked.
; RUN[split]: offloadc %s --offload-arch=cpu --emit=split=-
; CHECK[split]: @offload_functions = internal constant [2 x ptr] [ptr @own, ptr @passed]
; CHECK[split]: declare i32 @passed()
; RUN[missing]: ! offloadc %s --offload-arch=cpu

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_kernel(ptr)
declare i64 @__offload_function(ptr)
declare ptr @__offload_function_pointer(i64)
declare i32 @passed()

define i32 @own() {
  ret i32 1
}

define void @k(ptr %out, i64 %number) {
  %function = call ptr @__offload_function_pointer(i64 %number)
  %value = call i32 %function()
  store i32 %value, ptr %out
  ret void
}

define i64 @numbers() {
  %handle = call ptr @__offload_kernel(ptr @k)
  %own = call i64 @__offload_function(ptr @own)
  %passed = call i64 @__offload_function(ptr @passed)
  %both = add i64 %own, %passed
  ret i64 %both
}
;;; stderr[missing]
; error[OFC0008]: kernel `k` reaches `passed`, which has no device code
;   = note: called through `k` → `passed`
;   = note: for cpu
;   = help: its body is not in the input: also give offloadc the bitcode of the crate that defines it
