; A marker call whose argument is known only at run time is an error.
; FAIL: offloadc %s --offload-arch=cpu --emit=kernels=-

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_kernel(ptr)

define ptr @handle_of(ptr %function) {
  %handle = call ptr @__offload_kernel(ptr %function)
  ret ptr %handle
}
;;; stderr
; error[OFC0006]: `__offload_kernel` in `handle_of` needs a function that is known at compile time
;   = help: call `__offload_kernel` where the function is named, for example in a function that is generic over it
