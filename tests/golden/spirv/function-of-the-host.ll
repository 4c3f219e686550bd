; A function whose address the host passes cannot be called, and the error names nothing else: the table of the device's
; own functions is no part of the error.
; RUN: not offloadc -w %s --offload-arch=spirv64 --emit=image=-

target triple = "x86_64-unknown-linux-gnu"

@table = internal constant [2 x ptr] [ptr @twice, ptr @thrice]

define internal i32 @twice(i32 %x) noinline {
  %r = mul i32 %x, 2
  ret i32 %r
}

define internal i32 @thrice(i32 %x) noinline {
  %r = mul i32 %x, 3
  ret i32 %r
}

define ptx_kernel void @k(ptr %out, ptr %of_host, i32 %i) {
  %at = getelementptr ptr, ptr @table, i32 %i
  %f = load ptr, ptr %at
  %a = call i32 %f(i32 %i)
  store i32 %a, ptr %out
  %b = call float %of_host(float 1.0)
  store float %b, ptr %out
  ret void
}
;;; stderr
; error[OFC0016]: kernel `k` calls a function through a pointer, which this device does not support
;   = note: for spirv64
;   = help: call the function by name, or use generics
