; A loop keeps both exits if a value of its header is used after it: the loop would be left before the header.
; RUN: offloadc %s --run-pass=merge_exits --offload-arch=sm_80 --kernel=k | grep -v "^target"

define void @k(ptr %out, i32 %limit, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ %n, %entry ], [ %next, %body ]
  %low = and i32 %i, 5
  %is.low = icmp eq i32 %low, 5
  br i1 %is.low, label %done, label %body
body:
  store i32 %low, ptr %out
  %next = mul i32 %i, 3
  %goes = icmp ult i32 %next, %limit
  br i1 %goes, label %loop, label %done
done:
  store i32 %low, ptr %out
  ret void
}
;;; stdout
;
; define void @k(ptr %out, i32 %limit, i32 %n) {
; entry:
;   br label %loop
;
; loop:                                             ; preds = %body, %entry
;   %i = phi i32 [ %n, %entry ], [ %next, %body ]
;   %low = and i32 %i, 5
;   %is.low = icmp eq i32 %low, 5
;   br i1 %is.low, label %done, label %body
;
; body:                                             ; preds = %loop
;   store i32 %low, ptr %out, align 4
;   %next = mul i32 %i, 3
;   %goes = icmp ult i32 %next, %limit
;   br i1 %goes, label %loop, label %done
;
; done:                                             ; preds = %body, %loop
;   store i32 %low, ptr %out, align 4
;   ret void
; }
