; A marker call that can see two functions, or one through a pointer that others may change, is an error.
; FAIL: offloadc %s --offload-arch=cpu -o %t/o

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_kernel(ptr)
declare void @elsewhere(ptr)

define internal void @a() { ret void }
define internal void @b() { ret void }

define internal void @either(ptr %function) {
  %h = call ptr @__offload_kernel(ptr %function)
  ret void
}

define void @changed() {
  %slot = alloca ptr
  store ptr @a, ptr %slot
  call void @elsewhere(ptr %slot)
  %f = load ptr, ptr %slot
  %h = call ptr @__offload_kernel(ptr %f)
  ret void
}

define void @main() {
  call void @either(ptr @a)
  call void @either(ptr @b)
  ret void
}
;;; stderr
; error[OFC0006]: `__offload_kernel` in `either` needs a function that is known at compile time
;   = help: call `__offload_kernel` where the function is named, for example in a function that is generic over it
; error[OFC0006]: `__offload_kernel` in `changed` needs a function that is known at compile time
;   = help: call `__offload_kernel` where the function is named, for example in a function that is generic over it
