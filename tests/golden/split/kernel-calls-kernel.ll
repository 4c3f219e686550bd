; A kernel that another kernel and the host call as a function stays one on both sides.
; RUN@22[split]: offloadc %s --offload-arch=cpu --emit=split=-
; RUN@22[host]: offloadc %s --offload-arch=cpu --emit=host=- | llvm-nm --defined-only --format=just-symbols -

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @inner(ptr %out) {
  store i32 7, ptr %out
  ret void
}

define ptx_kernel void @outer(ptr %out) {
  call ptx_kernel void @inner(ptr %out)
  ret void
}

define void @on_host(ptr %out) {
  call ptx_kernel void @inner(ptr %out)
  ret void
}
;;; stdout[split]
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; define void @inner.body(ptr %out) {
;   store i32 7, ptr %out, align 4
;   ret void
; }
;
; define void @outer(ptr %out) {
;   call void @inner.body(ptr %out)
;   ret void
; }
;
; define void @inner(ptr %0) {
; entry:
;   call void @inner.body(ptr %0)
;   ret void
; }
;;; stdout[host]
; inner
; on_host
; outer
