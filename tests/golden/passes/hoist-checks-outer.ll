; The index of a check is a recurrence of an outer loop that has no preheader: the check stays where it is.
; RUN: offloadc %s --run-pass=hoist_checks --offload-arch=sm_80 | grep -c 'label %panic'

declare void @__offload_panic(i32, i64, i64)
define void @k(ptr %x, i64 %n, i64 %count, i64 %c) {
entry:
  %cc = icmp eq i64 %c, 0
  br i1 %cc, label %done, label %outer
outer:
  %o = phi i64 [ 0, %entry ], [ %o.next, %olatch ]
  %t = phi i64 [ 0, %entry ], [ %t.next, %olatch ]
  br label %inner
inner:
  %i = phi i64 [ %t, %outer ], [ %i.next, %ok ]
  %k = phi i64 [ 0, %outer ], [ %k.next, %ok ]
  %i3 = mul i64 %i, 3
  %in = icmp ult i64 %i3, %n
  br i1 %in, label %ok, label %panic
ok:
  %p = getelementptr float, ptr %x, i64 %i3
  store float 1.0, ptr %p
  %i.next = add i64 %i, 1
  %k.next = add i64 %k, 1
  %more = icmp ne i64 %k.next, %count
  br i1 %more, label %inner, label %olatch
olatch:
  %o.next = add i64 %o, 1
  %t.next = add i64 %t, %o
  %om = icmp ne i64 %o.next, %n
  br i1 %om, label %outer, label %done
done:
  ret void
panic:
  call void @__offload_panic(i32 1, i64 %i, i64 %n)
  unreachable
}
;;; stdout
; 1
