; If a kernel's portable name is the name of a function that it calls, it does not take that function's place.
; RUN: offloadc %s --offload-arch=cpu --kernel=k.1 --emit=split=-

target triple = "x86_64-unknown-linux-gnu"

define void @k.1(ptr %out) {
  call void @k_1(ptr %out)
  ret void
}

define internal void @k_1(ptr %out) {
  store i32 3, ptr %out
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; define void @k_1(ptr %out) {
;   call void @k_1.body(ptr %out)
;   ret void
; }
;
; define internal void @k_1.body(ptr %out) {
;   store i32 3, ptr %out, align 4
;   ret void
; }
