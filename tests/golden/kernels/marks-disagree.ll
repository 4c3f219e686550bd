; Two marker calls that disagree on a kernel's form are an error.
; FAIL: offloadc %s --offload-arch=cpu -o %t/o

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_kernel(ptr)
declare ptr @__offload_kernel_block(ptr, i64, i64)

define void @k(ptr %arguments) { ret void }

define void @main() {
  %h1 = call ptr @__offload_kernel(ptr @k)
  %h2 = call ptr @__offload_kernel_block(ptr @k, i64 16, i64 8)
  ret void
}
;;; stderr
; error[OFC0003]: kernel `k` is marked twice with different forms
