; A marker that is used in any other way than a direct call for a handle is an error, not an undefined symbol.
; FAIL: offloadc %s --offload-arch=cpu -o %t/o

target triple = "x86_64-unknown-linux-gnu"

@pointer = global ptr @__offload_kernel
declare ptr @__offload_kernel(ptr)

define internal void @k() { ret void }

define void @passes() {
  call void @use(ptr @__offload_kernel)
  ret void
}

define float @another_type() {
  %h = call float @__offload_kernel(ptr @k)
  ret float %h
}

define internal void @use(ptr %f) {
  ret void
}
;;; stderr
; error[OFC0006]: `__offload_kernel` in `passes` must be called directly, and returns a pointer
;   = help: call `__offload_kernel` where the function is named, for example in a function that is generic over it
; error[OFC0006]: `__offload_kernel` in `another_type` must be called directly, and returns a pointer
;   = help: call `__offload_kernel` where the function is named, for example in a function that is generic over it
; error[OFC0006]: the address of `__offload_kernel` is taken, but only a direct call marks a kernel
