; Functions that stand for builtins and for the runtime in builds without offloadc give way to the real ones, on either
; side, together with the attributes of their bodies.
; RUN: offloadc %s --offload-arch=cpu --emit=split=-

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_kernel(ptr)

define i32 @__offload_thread_id_x() noinline memory(none) section ".text.offload.stand_in" {
  ret i32 7
}

define zeroext i1 @__offload_is_device() noinline section ".text.offload.stand_in" {
  ret i1 false
}

define i32 @other() noinline section ".text.offload.stand_in" {
  ret i32 3
}

define void @kernel(ptr %out) {
  %device = call i1 @__offload_is_device()
  br i1 %device, label %then, label %else
then:
  %x = call i32 @__offload_thread_id_x() noinline
  %y = call i32 @other() noinline
  %sum = add i32 %x, %y
  store i32 %sum, ptr %out
  ret void
else:
  ret void
}

define void @main() {
  %h = call ptr @__offload_kernel(ptr @kernel)
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; define void @kernel(ptr %out) {
;   %device = call i1 @__offload_is_device()
;   br i1 %device, label %then, label %else
;
; then:                                             ; preds = %0
;   %x = call i32 @__offload_thread_id_x()
;   %y = call i32 @other()
;   %sum = add i32 %x, %y
;   store i32 %sum, ptr %out, align 4
;   ret void
;
; else:                                             ; preds = %0
;   ret void
; }
;
; declare i32 @__offload_thread_id_x()
;
; ; Function Attrs: alwaysinline
; define internal i1 @__offload_is_device() #0 {
; entry:
;   ret i1 true
; }
;
; declare i32 @other()
;
; attributes #0 = { alwaysinline }
