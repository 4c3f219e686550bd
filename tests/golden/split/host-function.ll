; A function reached only from the host stays out of the device module.
; RUN: offloadc %s --offload-arch=cpu --emit=split=-

target triple = "x86_64-unknown-linux-gnu"

define void @host_only() {
  ret void
}

define ptx_kernel void @fill(ptr %out) {
  store i32 7, ptr %out
  ret void
}

define i32 @main() {
  call void @host_only()
  ret i32 0
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; define void @fill(ptr %out) {
;   store i32 7, ptr %out, align 4
;   ret void
; }
