; A table of functions with none of the type that a kernel calls: that call traps, and the calls of others are by name.
; RUN: offloadc -w %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && spirv-dis k.spv | grep -c OpSwitch

target triple = "x86_64-unknown-linux-gnu"

declare i64 @__offload_function(ptr)
declare ptr @__offload_function_pointer(i64)

define internal i32 @twice(i32 %x) noinline {
  %r = mul i32 %x, 2
  ret i32 %r
}

define internal i32 @thrice(i32 %x) noinline {
  %r = mul i32 %x, 3
  ret i32 %r
}

define i64 @numbers(i1 %which) {
  %a = call i64 @__offload_function(ptr @twice)
  %b = call i64 @__offload_function(ptr @thrice)
  %n = select i1 %which, i64 %a, i64 %b
  ret i64 %n
}

define ptx_kernel void @integers(ptr %out, i64 %number, i32 %x) {
  %f = call ptr @__offload_function_pointer(i64 %number)
  %r = call i32 %f(i32 %x)
  store i32 %r, ptr %out
  ret void
}

define ptx_kernel void @floats(ptr %out, i64 %number, float %x) {
  %f = call ptr @__offload_function_pointer(i64 %number)
  %r = call float %f(float %x)
  store float %r, ptr %out
  ret void
}
;;; stdout
; 1
