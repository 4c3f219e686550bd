; Checks that stay where they are: a side that is the target of several cases of a switch or of another branch, the
; default of a switch, a condition with a load, a branch with a panic as a side, a check in a loop of a branch before
; the loop, and a condition of more than 24 instructions.
; RUN: offloadc %s --run-pass=lift_checks --offload-arch=gfx90a --kernel=k | grep -v "^target"

declare void @__offload_panic(i32, i64)

define void @k(ptr %x, i64 %n, i64 %i, i1 %edge, i32 %column, ptr %out) {
  switch i32 %column, label %other [ i32 0, label %twice  i32 1, label %twice ]
twice:
  %t.in = icmp ult i64 %i, 10
  br i1 %t.in, label %shared, label %panic
other:
  %o.in = icmp ult i64 %i, 11
  br i1 %o.in, label %shared, label %panic
shared:
  br i1 %edge, label %a, label %joined
a:
  store float 1.0, ptr %out
  br label %joined
joined:
  %j.in = icmp ult i64 %i, 12
  br i1 %j.in, label %again, label %panic
again:
  br i1 %edge, label %loads, label %direct
loads:
  %bound = load i64, ptr %x
  %l.in = icmp ult i64 %i, %bound
  br i1 %l.in, label %direct, label %panic
direct:
  br i1 %edge, label %panic, label %enter
enter:
  br i1 %edge, label %loop, label %done
loop:
  %k = phi i64 [ 0, %enter ], [ %k.next, %turn ]
  %k.in = icmp ult i64 %k, %n
  br i1 %k.in, label %turn, label %panic
turn:
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, 100
  br i1 %more, label %loop, label %done
done:
  br i1 %edge, label %long, label %end
long:
  %m0 = mul i64 %i, %n
  %m1 = mul i64 %m0, %n
  %m2 = mul i64 %m1, %n
  %m3 = mul i64 %m2, %n
  %m4 = mul i64 %m3, %n
  %m5 = mul i64 %m4, %n
  %m6 = mul i64 %m5, %n
  %m7 = mul i64 %m6, %n
  %m8 = mul i64 %m7, %n
  %m9 = mul i64 %m8, %n
  %m10 = mul i64 %m9, %n
  %m11 = mul i64 %m10, %n
  %m12 = mul i64 %m11, %n
  %m13 = mul i64 %m12, %n
  %m14 = mul i64 %m13, %n
  %m15 = mul i64 %m14, %n
  %m16 = mul i64 %m15, %n
  %m17 = mul i64 %m16, %n
  %m18 = mul i64 %m17, %n
  %m19 = mul i64 %m18, %n
  %m20 = mul i64 %m19, %n
  %m21 = mul i64 %m20, %n
  %m22 = mul i64 %m21, %n
  %m23 = mul i64 %m22, %n
  %long.in = icmp ult i64 %m23, %n
  br i1 %long.in, label %end, label %panic
end:
  ret void
panic:
  call void @__offload_panic(i32 1, i64 %i)
  unreachable
}

; A function without a panic has no check.
define void @without(i1 %edge, i64 %i, ptr %out) {
  br i1 %edge, label %a, label %done
a:
  %in = icmp ult i64 %i, 10
  br i1 %in, label %b, label %done
b:
  store float 1.0, ptr %out
  br label %done
done:
  ret void
}
;;; stdout
;
; declare void @__offload_panic(i32, i64)
;
; define void @k(ptr %x, i64 %n, i64 %i, i1 %edge, i32 %column, ptr %out) {
;   switch i32 %column, label %other [
;     i32 0, label %twice
;     i32 1, label %twice
;   ]
;
; twice:                                            ; preds = %0, %0
;   %t.in = icmp ult i64 %i, 10
;   br i1 %t.in, label %shared, label %panic
;
; other:                                            ; preds = %0
;   %o.in = icmp ult i64 %i, 11
;   br i1 %o.in, label %shared, label %panic
;
; shared:                                           ; preds = %other, %twice
;   br i1 %edge, label %a, label %joined
;
; a:                                                ; preds = %shared
;   store float 1.000000e+00, ptr %out, align 4
;   br label %joined
;
; joined:                                           ; preds = %a, %shared
;   %j.in = icmp ult i64 %i, 12
;   br i1 %j.in, label %again, label %panic
;
; again:                                            ; preds = %joined
;   br i1 %edge, label %loads, label %direct
;
; loads:                                            ; preds = %again
;   %bound = load i64, ptr %x, align 4
;   %l.in = icmp ult i64 %i, %bound
;   br i1 %l.in, label %direct, label %panic
;
; direct:                                           ; preds = %loads, %again
;   br i1 %edge, label %panic, label %enter
;
; enter:                                            ; preds = %direct
;   br i1 %edge, label %loop, label %done
;
; loop:                                             ; preds = %turn, %enter
;   %k = phi i64 [ 0, %enter ], [ %k.next, %turn ]
;   %k.in = icmp ult i64 %k, %n
;   br i1 %k.in, label %turn, label %panic
;
; turn:                                             ; preds = %loop
;   %k.next = add i64 %k, 1
;   %more = icmp ult i64 %k.next, 100
;   br i1 %more, label %loop, label %done
;
; done:                                             ; preds = %turn, %enter
;   br i1 %edge, label %long, label %end
;
; long:                                             ; preds = %done
;   %m0 = mul i64 %i, %n
;   %m1 = mul i64 %m0, %n
;   %m2 = mul i64 %m1, %n
;   %m3 = mul i64 %m2, %n
;   %m4 = mul i64 %m3, %n
;   %m5 = mul i64 %m4, %n
;   %m6 = mul i64 %m5, %n
;   %m7 = mul i64 %m6, %n
;   %m8 = mul i64 %m7, %n
;   %m9 = mul i64 %m8, %n
;   %m10 = mul i64 %m9, %n
;   %m11 = mul i64 %m10, %n
;   %m12 = mul i64 %m11, %n
;   %m13 = mul i64 %m12, %n
;   %m14 = mul i64 %m13, %n
;   %m15 = mul i64 %m14, %n
;   %m16 = mul i64 %m15, %n
;   %m17 = mul i64 %m16, %n
;   %m18 = mul i64 %m17, %n
;   %m19 = mul i64 %m18, %n
;   %m20 = mul i64 %m19, %n
;   %m21 = mul i64 %m20, %n
;   %m22 = mul i64 %m21, %n
;   %m23 = mul i64 %m22, %n
;   %long.in = icmp ult i64 %m23, %n
;   br i1 %long.in, label %end, label %panic
;
; end:                                              ; preds = %long, %done
;   ret void
;
; panic:                                            ; preds = %long, %loop, %direct, %loads, %joined, %other, %twice
;   call void @__offload_panic(i32 1, i64 %i)
;   unreachable
; }
;
; define void @without(i1 %edge, i64 %i, ptr %out) {
;   br i1 %edge, label %a, label %done
;
; a:                                                ; preds = %0
;   %in = icmp ult i64 %i, 10
;   br i1 %in, label %b, label %done
;
; b:                                                ; preds = %a
;   store float 1.000000e+00, ptr %out, align 4
;   br label %done
;
; done:                                             ; preds = %b, %a, %0
;   ret void
; }
