; The step of an index is no constant, as in a column of a matrix: the check is decided before the loop if the step is
; small. A step that changes in each iteration is not known there.
; RUN: offloadc %s --run-pass=hoist_checks --offload-arch=sm_80 --kernel=k | grep -v "^target"

declare void @__offload_panic(i32, i64, i64)

define void @k(ptr %x, i64 %n, i64 %width, ptr %out) {
entry:
  br label %column
column:
  %k = phi i64 [ 0, %entry ], [ %k.next, %in ]
  %row = mul i64 %k, %width
  %i = add i64 %row, 7
  %is.in = icmp ult i64 %i, %n
  br i1 %is.in, label %in, label %panic
in:
  %at = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %at
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %width
  br i1 %more, label %column, label %grows
grows:
  %m = phi i64 [ 0, %in ], [ %m.next, %grown ]
  %j = phi i64 [ 0, %in ], [ %j.next, %grown ]
  %j.in = icmp ult i64 %j, %n
  br i1 %j.in, label %grown, label %other
grown:
  %j.at = getelementptr float, ptr %x, i64 %j
  store float 2.0, ptr %j.at
  %j.next = add i64 %j, %m
  %m.next = add i64 %m, 1
  %again = icmp ult i64 %m.next, %width
  br i1 %again, label %grows, label %done
done:
  ret void
panic:
  call void @__offload_panic(i32 1, i64 %i, i64 %n)
  unreachable
other:
  call void @__offload_panic(i32 2, i64 %j, i64 %n)
  unreachable
}
;;; stdout
;
; declare void @__offload_panic(i32, i64, i64)
;
; define void @k(ptr %x, i64 %n, i64 %width, ptr %out) {
; entry:
;   %umax = call i64 @llvm.umax.i64(i64 %width, i64 1)
;   %0 = add i64 %umax, -1
;   %1 = freeze i64 %0
;   %2 = icmp ult i64 %1, 2147483648
;   %3 = freeze i64 %n
;   %4 = freeze i64 %width
;   %5 = mul i64 %1, %4
;   %6 = add i64 7, %5
;   %7 = icmp ult i64 %4, 2147483648
;   %8 = icmp ult i64 %6, %3
;   %9 = and i1 %7, %8
;   %10 = and i1 %2, %9
;   br i1 %10, label %entry.split, label %entry.split.checked, !prof !0
;
; entry.split:                                      ; preds = %entry
;   br label %column
;
; column:                                           ; preds = %in, %entry.split
;   %k = phi i64 [ 0, %entry.split ], [ %k.next, %in ]
;   %row = mul i64 %k, %width
;   %i = add i64 %row, 7
;   %is.in = icmp ult i64 %i, %n
;   br label %in
;
; in:                                               ; preds = %column
;   %at = getelementptr float, ptr %x, i64 %i
;   store float 1.000000e+00, ptr %at, align 4
;   %k.next = add i64 %k, 1
;   %more = icmp ult i64 %k.next, %width
;   br i1 %more, label %column, label %grows.loopexit
;
; grows.loopexit:                                   ; preds = %in.checked, %in
;   br label %grows
;
; grows:                                            ; preds = %grows.loopexit, %grown
;   %m = phi i64 [ %m.next, %grown ], [ 0, %grows.loopexit ]
;   %j = phi i64 [ %j.next, %grown ], [ 0, %grows.loopexit ]
;   %j.in = icmp ult i64 %j, %n
;   br i1 %j.in, label %grown, label %other
;
; grown:                                            ; preds = %grows
;   %j.at = getelementptr float, ptr %x, i64 %j
;   store float 2.000000e+00, ptr %j.at, align 4
;   %j.next = add i64 %j, %m
;   %m.next = add i64 %m, 1
;   %again = icmp ult i64 %m.next, %width
;   br i1 %again, label %grows, label %done
;
; done:                                             ; preds = %grown
;   ret void
;
; panic:                                            ; preds = %column.checked
;   call void @__offload_panic(i32 1, i64 %i.checked, i64 %n)
;   unreachable
;
; other:                                            ; preds = %grows
;   call void @__offload_panic(i32 2, i64 %j, i64 %n)
;   unreachable
;
; entry.split.checked:                              ; preds = %entry
;   br label %column.checked
;
; column.checked:                                   ; preds = %in.checked, %entry.split.checked
;   %k.checked = phi i64 [ 0, %entry.split.checked ], [ %k.next.checked, %in.checked ]
;   %row.checked = mul i64 %k.checked, %width
;   %i.checked = add i64 %row.checked, 7
;   %is.in.checked = icmp ult i64 %i.checked, %n
;   br i1 %is.in.checked, label %in.checked, label %panic
;
; in.checked:                                       ; preds = %column.checked
;   %at.checked = getelementptr float, ptr %x, i64 %i.checked
;   store float 1.000000e+00, ptr %at.checked, align 4
;   %k.next.checked = add i64 %k.checked, 1
;   %more.checked = icmp ult i64 %k.next.checked, %width
;   br i1 %more.checked, label %column.checked, label %grows.loopexit, !llvm.loop !1
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare i64 @llvm.umax.i64(i64, i64) #0
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
;
; !0 = !{!"branch_weights", i32 1048575, i32 1}
; !1 = distinct !{!1, !2}
; !2 = !{!"llvm.loop.unroll.disable"}
