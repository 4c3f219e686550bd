; The argument of a marker call may be the result of a function that was not inlined, as `size_of` without optimisation.
; RUN: offloadc %s --offload-arch=cpu --emit=kernels=-

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_kernel_block(ptr, i64, i64)

define internal void @k(ptr %arguments) { ret void }

define linkonce_odr i64 @size_of() {
  ret i64 24
}

define internal i64 @align_of(i1 %which) {
  br i1 %which, label %then, label %else
then:
  ret i64 8
else:
  ret i64 8
}

define internal ptr @function(ptr %f) { ret ptr %f }

define void @main(i1 %which) {
  %f = call ptr @function(ptr @k)
  %size = call i64 @size_of()
  %align = call i64 @align_of(i1 %which)
  %h = call ptr @__offload_kernel_block(ptr %f, i64 %size, i64 %align)
  ret void
}
;;; stdout
; k (k): block, found by a marker call
;   0: block at 0, 24 bytes, aligned to 8
