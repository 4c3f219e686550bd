; The promises of a kernel about its scalars must be constant, within its arguments, and made once.
; FAIL: offloadc %s --kernel=* --offload-arch=cpu -o out.o

target triple = "x86_64-unknown-linux-gnu"

declare void @__offload_parameter(i32, i32, i32)

define void @beyond(i32 %n) {
  call void @__offload_parameter(i32 6, i32 4, i32 1)
  ret void
}

define void @empty(i32 %n) {
  call void @__offload_parameter(i32 0, i32 0, i32 1)
  ret void
}

define void @twice(i32 %n, i32 %m) {
  call void @__offload_parameter(i32 0, i32 4, i32 1)
  call void @__offload_parameter(i32 0, i32 8, i32 1)
  ret void
}

define void @unknown(i32 %n) {
  call void @__offload_parameter(i32 %n, i32 4, i32 1)
  ret void
}
;;; stderr
; error[OFC0029]: `__offload_parameter` names 4 bytes at 6, and the arguments have 8 bytes
; error[OFC0029]: `__offload_parameter` names 0 bytes at 0, and the arguments have 8 bytes
; error[OFC0029]: `__offload_parameter` names bytes that another call names
; error[OFC0029]: `__offload_parameter` needs constant arguments
