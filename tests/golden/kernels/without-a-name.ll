; A kernel without a name gets one.
; RUN[kernels]: offloadc %s --offload-arch=cpu --emit=kernels=-
; RUN[split]: offloadc %s --offload-arch=cpu --emit=split=-
; CHECK[split]: define internal void @0(
; CHECK[split]: store i32 1
; CHECK[split]: define{{.*}} void @unnamed_kernel(
; CHECK[split]: store i32 2
; CHECK[split]: define{{.*}} void @unnamed_kernel_1(
; CHECK[split]: store i32 3

target triple = "x86_64-unknown-linux-gnu"

@marks = constant [2 x ptr] [ptr @1, ptr @2], section ".offload.kernels"

define internal void @0(ptr %out) {
  store i32 1, ptr %out
  ret void
}

define internal void @1(ptr %out) {
  store i32 2, ptr %out
  call void @0(ptr %out)
  ret void
}

define internal void @2(ptr %out) {
  store i32 3, ptr %out
  ret void
}
;;; stdout[kernels]
; unnamed_kernel (unnamed_kernel): plain, found by section `.offload.kernels`
;   0: pointer at 0, 8 bytes, aligned to 8
; unnamed_kernel_1 (unnamed_kernel.1): plain, found by section `.offload.kernels`
;   0: pointer at 0, 8 bytes, aligned to 8
