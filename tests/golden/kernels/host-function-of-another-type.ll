; A function of the host that a kernel calls has the type of the runtime's calls.
; FAIL: offloadc %s --offload-arch=cpu -o o.o

target triple = "x86_64-unknown-linux-gnu"

declare i64 @__offload_host_function(ptr)

define i32 @wrong(ptr %arguments) {
  ret i32 0
}

define ptx_kernel void @k(ptr %out) {
  %number = call i64 @__offload_host_function(ptr @wrong)
  store i64 %number, ptr %out
  ret void
}
;;; stderr
; error[OFC0006]: `__offload_host_function` in `k` needs a function that is known at compile time, with the type `extern "C" fn(*const u8, *mut u8, *mut u8, usize) -> u32`
;   = help: call `__offload_host_function` where the function is named, for example in a function that is generic over it
