; Barriers and everything that reaches one are convergent before any pass runs.
; RUN: offloadc %s --offload-arch=cpu --emit=legalize=-

target triple = "x86_64-unknown-linux-gnu"

declare void @__offload_sync_threads()

define internal void @wait() {
  call void @__offload_sync_threads()
  ret void
}

define internal i32 @apart(i32 %x) {
  ret i32 %x
}

define ptx_kernel void @fill(ptr %out) {
  %v = call i32 @apart(i32 7)
  call void @wait()
  store i32 %v, ptr %out
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; ; Function Attrs: convergent nounwind willreturn
; declare void @__offload_sync_threads() #0
;
; ; Function Attrs: alwaysinline convergent
; define internal void @wait() unnamed_addr #1 {
;   call void @__offload_sync_threads() #2
;   ret void
; }
;
; define internal i32 @apart(i32 %x) unnamed_addr {
;   ret i32 %x
; }
;
; ; Function Attrs: alwaysinline convergent
; define void @fill(ptr %out) #1 {
;   %v = call i32 @apart(i32 7)
;   call void @wait() #2
;   store i32 %v, ptr %out, align 4
;   ret void
; }
;
; attributes #0 = { convergent nounwind willreturn }
; attributes #1 = { alwaysinline convergent }
; attributes #2 = { convergent }
