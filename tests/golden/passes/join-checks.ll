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

; Visible effects between two checks keep them apart: loads that are volatile or atomic, calls in which threads wait for
; each other, and calls that may write.
define void @apart(ptr %x, i64 %n, i64 %i) {
  %first = icmp ult i64 %i, %n
  br i1 %first, label %one, label %panic
one:
  %a = load volatile i64, ptr %x
  %second = icmp ult i64 %i, 9
  br i1 %second, label %two, label %panic
two:
  %b = load atomic i64, ptr %x monotonic, align 8
  %third = icmp ult i64 %i, 8
  br i1 %third, label %three, label %panic
three:
  %c = call i64 @together() memory(none)
  %fourth = icmp ult i64 %i, 7
  br i1 %fourth, label %four, label %panic
four:
  %d = call i64 @waits() convergent memory(none)
  %fifth = icmp ult i64 %i, 6
  br i1 %fifth, label %five, label %panic
five:
  %e = call i64 @writes()
  %sixth = icmp ult i64 %i, 5
  br i1 %sixth, label %six, label %panic
six:
  ret void
panic:
  call void @__offload_panic(i32 1, i32 4, i64 %i)
  unreachable
}

declare i64 @together() convergent nounwind willreturn memory(none)
declare i64 @waits() nounwind willreturn memory(none)
declare i64 @writes()

; A branch of which both sides panic is no check.
define void @both(i64 %n, i64 %i) {
  %first = icmp ult i64 %i, %n
  br i1 %first, label %one, label %panic
one:
  %second = icmp ult i64 %i, 9
  br i1 %second, label %other, label %panic
other:
  call void @__offload_panic(i32 1, i32 5, i64 %i)
  unreachable
panic:
  call void @__offload_panic(i32 1, i32 6, i64 %i)
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
;
; define void @apart(ptr %x, i64 %n, i64 %i) {
;   %first = icmp ult i64 %i, %n
;   br i1 %first, label %one, label %panic
;
; one:                                              ; preds = %0
;   %a = load volatile i64, ptr %x, align 4
;   %second = icmp ult i64 %i, 9
;   br i1 %second, label %two, label %panic
;
; two:                                              ; preds = %one
;   %b = load atomic i64, ptr %x monotonic, align 8
;   %third = icmp ult i64 %i, 8
;   br i1 %third, label %three, label %panic
;
; three:                                            ; preds = %two
;   %c = call i64 @together() #2
;   %fourth = icmp ult i64 %i, 7
;   br i1 %fourth, label %four, label %panic
;
; four:                                             ; preds = %three
;   %d = call i64 @waits() #3
;   %fifth = icmp ult i64 %i, 6
;   br i1 %fifth, label %five, label %panic
;
; five:                                             ; preds = %four
;   %e = call i64 @writes()
;   %sixth = icmp ult i64 %i, 5
;   br i1 %sixth, label %six, label %panic
;
; six:                                              ; preds = %five
;   ret void
;
; panic:                                            ; preds = %five, %four, %three, %two, %one, %0
;   call void @__offload_panic(i32 1, i32 4, i64 %i)
;   unreachable
; }
;
; ; Function Attrs: convergent nounwind willreturn memory(none)
; declare i64 @together() #0
;
; ; Function Attrs: nounwind willreturn memory(none)
; declare i64 @waits() #1
;
; declare i64 @writes()
;
; define void @both(i64 %n, i64 %i) {
;   %first = icmp ult i64 %i, %n
;   br i1 %first, label %one, label %panic
;
; one:                                              ; preds = %0
;   %second = icmp ult i64 %i, 9
;   br i1 %second, label %other, label %panic
;
; other:                                            ; preds = %one
;   call void @__offload_panic(i32 1, i32 5, i64 %i)
;   unreachable
;
; panic:                                            ; preds = %one, %0
;   call void @__offload_panic(i32 1, i32 6, i64 %i)
;   unreachable
; }
;
; attributes #0 = { convergent nounwind willreturn memory(none) }
; attributes #1 = { nounwind willreturn memory(none) }
; attributes #2 = { memory(none) }
; attributes #3 = { convergent memory(none) }
