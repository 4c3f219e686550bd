; A function in a comdat that the kernel reaches comes without the group's other members.
; RUN: offloadc %s --offload-arch=cpu --emit=split=-

target triple = "x86_64-unknown-linux-gnu"

$once = comdat any
@once_table = linkonce_odr constant i32 3, comdat($once)
@once_other = linkonce_odr constant i32 4, comdat($once)

define linkonce_odr i32 @once() comdat {
  %v = load i32, ptr @once_table
  ret i32 %v
}

define ptx_kernel void @fill(ptr %out) {
  %v = call i32 @once()
  store i32 %v, ptr %out
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; $once = comdat any
;
; @once_table = linkonce_odr constant i32 3, comdat($once)
;
; define linkonce_odr i32 @once() comdat {
;   %v = load i32, ptr @once_table, align 4
;   ret i32 %v
; }
;
; define void @fill(ptr %out) {
;   %v = call i32 @once()
;   store i32 %v, ptr %out, align 4
;   ret void
; }
