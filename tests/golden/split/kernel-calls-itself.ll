; A kernel that calls itself, or keeps its own address, has a body beside its entry; the body keeps its parameters' rules.
; RUN@22: offloadc %s --offload-arch=cpu --emit=split=-

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @again(i8 zeroext %n, ptr byval([24 x i8]) align 16 %s, ptr noalias nonnull %out) {
  store ptr @again, ptr %out
  %done = icmp eq i8 %n, 0
  br i1 %done, label %end, label %more
more:
  %less = sub i8 %n, 1
  call ptx_kernel void @again(i8 zeroext %less, ptr byval([24 x i8]) align 16 %s, ptr %out)
  br label %end
end:
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; define void @again.body(i8 zeroext %n, ptr byval([24 x i8]) align 16 %s, ptr noalias nonnull %out) {
;   store ptr @again.body, ptr %out, align 8
;   %done = icmp eq i8 %n, 0
;   br i1 %done, label %end, label %more
;
; more:                                             ; preds = %0
;   %less = sub i8 %n, 1
;   call void @again.body(i8 zeroext %less, ptr byval([24 x i8]) align 16 %s, ptr %out)
;   br label %end
;
; end:                                              ; preds = %more, %0
;   ret void
; }
;
; define void @again(i8 zeroext %0, ptr byval([24 x i8]) align 16 %1, ptr noalias nonnull %2) {
; entry:
;   call void @again.body(i8 zeroext %0, ptr byval([24 x i8]) align 16 %1, ptr noalias nonnull %2)
;   ret void
; }
