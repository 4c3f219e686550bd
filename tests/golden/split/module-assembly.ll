; Assembly of the module is the host's and stays there.
; RUN[split]: offloadc %s --offload-arch=cpu --emit=split=-
; RUN[host]: offloadc %s --offload-arch=cpu --emit=host=- | llvm-nm --format=just-symbols -

target triple = "x86_64-unknown-linux-gnu"

module asm ".globl from_assembly"
module asm "from_assembly: ret"

define ptx_kernel void @fill(ptr %out) {
  store i32 7, ptr %out
  ret void
}
;;; stdout[split]
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; define void @fill(ptr %out) {
;   store i32 7, ptr %out, align 4
;   ret void
; }
;;; stdout[host]
; fill
; from_assembly
