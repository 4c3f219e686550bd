; A marker call that is an invoke returns the handle too, and the host has no marker left.
; RUN[kernels]: offloadc %s --offload-arch=cpu --emit=kernels=-
; RUN[host]: offloadc %s --offload-arch=cpu --emit=host=- | llvm-nm --format=just-symbols - | sed s,handle[.][0-9a-f]*,handle.HASH,

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_kernel(ptr)
declare i32 @rust_eh_personality(...)

define internal void @k() { ret void }

define ptr @main() personality ptr @rust_eh_personality {
  %h = invoke ptr @__offload_kernel(ptr @k) to label %go unwind label %stop
go:
  ret ptr %h
stop:
  %pad = landingpad { ptr, i32 } cleanup
  ret ptr null
}
;;; stdout[kernels]
; k (k): plain, found by a marker call
;;; stdout[host]
; __offload_handle.HASH.k
; main
