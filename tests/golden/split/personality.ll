; A personality function is the host's; the device module loses it with the landing pads.
; RUN[split]: offloadc %s --offload-arch=cpu --emit=split=-
; RUN[legalize]: offloadc %s --offload-arch=cpu --emit=legalize=-

target triple = "x86_64-unknown-linux-gnu"

declare i32 @rust_eh_personality(...)

define internal i32 @may_unwind(i32 %x) personality ptr @rust_eh_personality {
  ret i32 %x
}

define ptx_kernel void @fill(ptr %out) personality ptr @rust_eh_personality {
  %v = invoke i32 @may_unwind(i32 3) to label %good unwind label %bad
good:
  store i32 %v, ptr %out
  ret void
bad:
  %pad = landingpad { ptr, i32 } filter [0 x ptr] zeroinitializer
  unreachable
}
;;; stdout[split]
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; declare i32 @rust_eh_personality(...)
;
; define internal i32 @may_unwind(i32 %x) personality ptr @rust_eh_personality {
;   ret i32 %x
; }
;
; define void @fill(ptr %out) personality ptr @rust_eh_personality {
;   %v = invoke i32 @may_unwind(i32 3)
;           to label %good unwind label %bad
;
; good:                                             ; preds = %0
;   store i32 %v, ptr %out, align 4
;   ret void
;
; bad:                                              ; preds = %0
;   %pad = landingpad { ptr, i32 }
;           filter [0 x ptr] zeroinitializer
;   unreachable
; }
;;; stdout[legalize]
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
; define internal i32 @may_unwind(i32 %x) unnamed_addr {
;   ret i32 %x
; }
;
; define void @fill(ptr %out) {
;   %v = call i32 @may_unwind(i32 3)
;   br label %good
;
; good:                                             ; preds = %0
;   store i32 %v, ptr %out, align 4
;   ret void
; }
;
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
; declare void @llvm.trap() #1
;
; attributes #0 = { alwaysinline }
; attributes #1 = { cold noreturn nounwind memory(inaccessiblemem: write) }
