; Attributes, sections, conventions, registers and tail calls that only a host supports are removed.
; RUN: offloadc %s --offload-arch=cpu --emit=legalize=-

target triple = "x86_64-unknown-linux-gnu"

define internal fastcc void @step(ptr %out) "target-cpu"="znver4" uwtable sspstrong nonlazybind optnone noinline sanitize_address section ".text.hot" {
  store i32 1, ptr %out
  ret void
}

define internal tailcc void @last(ptr %out) {
  musttail call tailcc void @next(ptr %out)
  ret void
}

define internal tailcc void @next(ptr %out) {
  ret void
}

define internal inreg i32 @registers(i32 inreg %i) noinline {
  ret i32 %i
}

define protected ptx_kernel void @k(ptr %out) "frame-pointer"="all" uwtable(sync) {
  call fastcc void @step(ptr %out) "reason"="host"
  call tailcc void @last(ptr %out)
  %i = call inreg i32 @registers(i32 inreg 1)
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; ; Function Attrs: noinline
; define internal void @step(ptr %out) unnamed_addr #0 {
;   store i32 1, ptr %out, align 4
;   ret void
; }
;
; define internal void @last(ptr %out) unnamed_addr {
;   call void @next(ptr %out)
;   ret void
; }
;
; define internal void @next(ptr %out) unnamed_addr {
;   ret void
; }
;
; ; Function Attrs: noinline
; define internal i32 @registers(i32 %i) unnamed_addr #0 {
;   ret i32 %i
; }
;
; define dso_local void @k(ptr %out) {
;   call void @step(ptr %out)
;   call void @last(ptr %out)
;   %i = call i32 @registers(i32 1)
;   ret void
; }
;
; attributes #0 = { noinline }
