; Bounds checks with only loads between them become one branch, and the first one that fails is still the one that is
; reported. A store, and an index that was loaded between two checks, begin a new group.
; RUN: offloadc %s --run-pass=join_checks --offload-arch=sm_80 --kernel=k | grep -v "^target"

declare void @__offload_panic(i32, i32, i64)

define void @k(ptr %x, i64 %n, i64 %i, ptr %out) {
  %first = icmp ult i64 %i, %n
  br i1 %first, label %one, label %panic
one:
  %a.at = getelementptr float, ptr %x, i64 %i
  %a = load float, ptr %a.at
  %next = add nuw i64 %i, 1
  %beyond = icmp uge i64 %next, %n
  br i1 %beyond, label %panic, label %two
two:
  %b.at = getelementptr i64, ptr %x, i64 %next
  %b = load i64, ptr %b.at
  %third = icmp ult i64 %b, %n
  br i1 %third, label %three, label %alone
three:
  store float %a, ptr %out
  %fourth = icmp ult i64 %b, 7
  br i1 %fourth, label %four, label %alone
four:
  ret void
panic:
  %index = phi i64 [ %i, %0 ], [ %next, %one ]
  call void @__offload_panic(i32 1, i32 2, i64 %index)
  unreachable
alone:
  call void @__offload_panic(i32 1, i32 3, i64 %b)
  unreachable
}
;;; stdout
;
; declare void @__offload_panic(i32, i32, i64)
;
; define void @k(ptr %x, i64 %n, i64 %i, ptr %out) {
;   %first = icmp ult i64 %i, %n
;   %1 = add nuw i64 %i, 1
;   %2 = icmp uge i64 %1, %n
;   %3 = xor i1 %2, true
;   %4 = select i1 %first, i1 %3, i1 false
;   br i1 %4, label %one, label %failed
;
; one:                                              ; preds = %0
;   %a.at = getelementptr float, ptr %x, i64 %i
;   %a = load float, ptr %a.at, align 4
;   br label %two
;
; two:                                              ; preds = %one
;   %b.at = getelementptr i64, ptr %x, i64 %1
;   %b = load i64, ptr %b.at, align 4
;   %third = icmp ult i64 %b, %n
;   br i1 %third, label %three, label %alone
;
; three:                                            ; preds = %two
;   store float %a, ptr %out, align 4
;   %fourth = icmp ult i64 %b, 7
;   br i1 %fourth, label %four, label %alone
;
; four:                                             ; preds = %three
;   ret void
;
; panic:                                            ; preds = %failed1, %failed
;   %5 = phi i64 [ %i, %failed ], [ %1, %failed1 ]
;   call void @__offload_panic(i32 1, i32 2, i64 %5)
;   unreachable
;
; alone:                                            ; preds = %three, %two
;   call void @__offload_panic(i32 1, i32 3, i64 %b)
;   unreachable
;
; failed:                                           ; preds = %0
;   br i1 %first, label %failed1, label %panic
;
; failed1:                                          ; preds = %failed
;   br label %panic
; }
