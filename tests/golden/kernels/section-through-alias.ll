; An alias in .offload.kernels is a separate kernel, with its own name and the other's body.
; RUN[kernels]: offloadc %s --offload-arch=cpu --emit=kernels=-
; RUN[split]: offloadc %s --offload-arch=cpu --emit=split=-
; CHECK[split]: define{{.*}}@shared.body(
; CHECK[split]: define void @other(
; CHECK[split]: call void @shared.body
; CHECK[split]: define void @shared(
; CHECK[split]: call void @shared.body

target triple = "x86_64-unknown-linux-gnu"

@other = alias void (ptr), ptr @shared
@marks = constant [2 x ptr] [ptr @other, ptr @shared], section ".offload.kernels"

define void @shared(ptr %out) {
  store i32 1, ptr %out
  ret void
}
;;; stdout[kernels]
; other (other): plain, found by section `.offload.kernels`
;   0: pointer at 0, 8 bytes, aligned to 8
; shared (shared): plain, found by section `.offload.kernels`
;   0: pointer at 0, 8 bytes, aligned to 8
