; Checks at the starts of the sides of a branch are decided before it, and the thread finds out afterwards which one has
; failed. A switch and a single side are treated in the same way. A check after a store stays where it is, and so does
; one after a loop.
; RUN: offloadc %s --run-pass=lift_checks --offload-arch=gfx90a --kernel=k | grep -v "^target"

declare void @__offload_panic(i32, i64)

define void @k(ptr %x, i64 %n, i64 %i, i1 %edge, i32 %column, ptr %out) {
  br i1 %edge, label %a, label %b
a:
  %a.in = icmp ult i64 %i, %n
  br i1 %a.in, label %a.holds, label %panic
a.holds:
  store float 1.0, ptr %out
  br label %joined
b:
  %next = add nuw i64 %i, 1
  %b.out = icmp uge i64 %next, %n
  br i1 %b.out, label %panic, label %b.holds
b.holds:
  store float 2.0, ptr %out
  br label %joined
joined:
  switch i32 %column, label %last [ i32 0, label %first  i32 15, label %stores ]
first:
  %f = load float, ptr %x
  %f.in = icmp ne i64 %i, 7
  br i1 %f.in, label %first.holds, label %alone
first.holds:
  store float %f, ptr %out
  br label %last
stores:
  store float 3.0, ptr %out
  %s.in = icmp ne i64 %i, 8
  br i1 %s.in, label %last, label %alone
last:
  %k = phi i64 [ 0, %joined ], [ 1, %first.holds ], [ 2, %stores ], [ %k.next, %last ]
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %n
  br i1 %more, label %last, label %behind
behind:
  %l.in = icmp ult i64 %i, 100
  br i1 %l.in, label %done, label %alone
done:
  ret void
panic:
  %index = phi i64 [ %i, %a ], [ %next, %b ]
  call void @__offload_panic(i32 1, i64 %index)
  unreachable
alone:
  call void @__offload_panic(i32 2, i64 %i)
  unreachable
}
;;; stdout
;
; declare void @__offload_panic(i32, i64)
;
; define void @k(ptr %x, i64 %n, i64 %i, i1 %edge, i32 %column, ptr %out) {
;   %1 = xor i1 %edge, true
;   %2 = icmp ult i64 %i, %n
;   %3 = select i1 %edge, i1 %2, i1 true
;   %4 = add nuw i64 %i, 1
;   %5 = icmp uge i64 %4, %n
;   %6 = xor i1 %5, true
;   %7 = select i1 %1, i1 %6, i1 true
;   %8 = and i1 %3, %7
;   br i1 %8, label %holds1, label %failed4
;
; holds1:                                           ; preds = %0
;   br i1 %edge, label %a, label %b
;
; a:                                                ; preds = %holds1
;   br label %a.holds
;
; a.holds:                                          ; preds = %a
;   store float 1.000000e+00, ptr %out, align 4
;   br label %joined
;
; b:                                                ; preds = %holds1
;   br label %b.holds
;
; b.holds:                                          ; preds = %b
;   store float 2.000000e+00, ptr %out, align 4
;   br label %joined
;
; joined:                                           ; preds = %b.holds, %a.holds
;   %9 = icmp eq i32 %column, 0
;   %10 = icmp ne i64 %i, 7
;   %11 = select i1 %9, i1 %10, i1 true
;   br i1 %11, label %holds, label %failed
;
; first:                                            ; preds = %holds
;   %f = load float, ptr %x, align 4
;   br label %first.holds
;
; first.holds:                                      ; preds = %first
;   store float %f, ptr %out, align 4
;   br label %last
;
; stores:                                           ; preds = %holds
;   store float 3.000000e+00, ptr %out, align 4
;   %s.in = icmp ne i64 %i, 8
;   br i1 %s.in, label %last, label %alone
;
; holds:                                            ; preds = %joined
;   switch i32 %column, label %last [
;     i32 0, label %first
;     i32 15, label %stores
;   ]
;
; last:                                             ; preds = %last, %stores, %first.holds, %holds
;   %12 = phi i64 [ 0, %holds ], [ 1, %first.holds ], [ 2, %stores ], [ %k.next, %last ]
;   %k.next = add i64 %12, 1
;   %more = icmp ult i64 %k.next, %n
;   br i1 %more, label %last, label %behind
;
; behind:                                           ; preds = %last
;   %l.in = icmp ult i64 %i, 100
;   br i1 %l.in, label %done, label %alone
;
; done:                                             ; preds = %behind
;   ret void
;
; panic:                                            ; preds = %failed3, %failed2
;   %13 = phi i64 [ %i, %failed3 ], [ %4, %failed2 ]
;   call void @__offload_panic(i32 1, i64 %13)
;   unreachable
;
; alone:                                            ; preds = %failed, %behind, %stores
;   call void @__offload_panic(i32 2, i64 %i)
;   unreachable
;
; failed:                                           ; preds = %joined
;   br label %alone
;
; failed2:                                          ; preds = %failed4
;   br label %panic
;
; failed3:                                          ; preds = %failed4
;   br label %panic
;
; failed4:                                          ; preds = %0
;   br i1 %edge, label %failed3, label %failed2
; }
