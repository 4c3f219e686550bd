; A panic becomes a trap, and nothing of its machinery is left.
; RUN: offloadc %s --offload-arch=cpu --emit=legalize=-

target triple = "x86_64-unknown-linux-gnu"

@message = private constant [3 x i8] c"a.r"
@place = private constant { ptr, i64, i32, i32 } { ptr @message, i64 3, i32 1, i32 1 }

declare void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64, i64, ptr) noreturn
declare i32 @rust_eh_personality(...)

define ptx_kernel void @get(i64 %i, ptr %out) personality ptr @rust_eh_personality {
  %inside = icmp ult i64 %i, 4
  br i1 %inside, label %good, label %bad
good:
  store i32 7, ptr %out
  ret void
bad:
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 %i, i64 4, ptr @place)
  unreachable
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; @message = internal constant [3 x i8] c"a.r"
; @place = internal constant { ptr, i64, i32, i32 } { ptr @message, i64 3, i32 1, i32 1 }
;
; ; Function Attrs: alwaysinline noreturn
; define internal void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 %0, i64 %1, ptr %2) #0 {
; entry:
;   call void @llvm.trap()
;   unreachable
; }
;
; ; Function Attrs: alwaysinline
; define internal i32 @rust_eh_personality(...) #1 {
; entry:
;   call void @llvm.trap()
;   unreachable
; }
;
; define void @get(i64 %i, ptr %out) {
;   %inside = icmp ult i64 %i, 4
;   br i1 %inside, label %good, label %bad
;
; good:                                             ; preds = %0
;   store i32 7, ptr %out, align 4
;   ret void
;
; bad:                                              ; preds = %0
;   call void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 %i, i64 4, ptr @place)
;   unreachable
; }
;
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
; declare void @llvm.trap() #2
;
; attributes #0 = { alwaysinline noreturn }
; attributes #1 = { alwaysinline }
; attributes #2 = { cold noreturn nounwind memory(inaccessiblemem: write) }
