; Calls that may unwind become plain calls that keep their arguments; landing pads and personalities are removed.
; RUN: offloadc %s --offload-arch=cpu --device-panic=trap --emit=legalize=-

target triple = "x86_64-unknown-linux-gnu"

declare i32 @rust_eh_personality(...)
declare void @_Unwind_Resume(ptr)

define internal i32 @load(ptr %from) {
  %v = load i32, ptr %from
  ret i32 %v
}

define internal void @drop() {
  ret void
}

define ptx_kernel void @k(ptr %out) personality ptr @rust_eh_personality {
  %v = invoke i32 @load(ptr nonnull %out) to label %go unwind label %cleanup
go:
  store i32 %v, ptr %out
  ret void
cleanup:
  %pad = landingpad { ptr, i32 } cleanup
  call void @drop()
  resume { ptr, i32 } %pad
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; ; Function Attrs: alwaysinline
; define internal i32 @rust_eh_personality(...) #0 {
; entry:
;   call void @llvm.trap()
;   unreachable
; }
;
; define internal i32 @load(ptr %from) unnamed_addr {
;   %v = load i32, ptr %from, align 4
;   ret i32 %v
; }
;
; define internal void @drop() unnamed_addr {
;   ret void
; }
;
; define void @k(ptr %out) {
;   %v = call i32 @load(ptr nonnull %out)
;   br label %go
;
; go:                                               ; preds = %0
;   store i32 %v, ptr %out, align 4
;   ret void
; }
;
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
; declare void @llvm.trap() #1
;
; attributes #0 = { alwaysinline }
; attributes #1 = { cold noreturn nounwind memory(inaccessiblemem: write) }
