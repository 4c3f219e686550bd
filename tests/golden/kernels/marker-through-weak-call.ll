; The linker may put another function in place of a weak one, so the result of a weak function is no constant.
; FAIL: offloadc %s --offload-arch=cpu --emit=kernels=-

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_kernel_block(ptr, i64, i64)

define internal void @k(ptr %arguments) { ret void }
define weak i64 @size() { ret i64 24 }

define void @main() {
  %size = call i64 @size()
  %h = call ptr @__offload_kernel_block(ptr @k, i64 %size, i64 8)
  ret void
}
;;; stderr
; error[OFC0006]: `__offload_kernel_block` in `main` needs a function, a size and an alignment that are known at compile time
;   = help: call `__offload_kernel_block` where the function is named, for example in a function that is generic over it
