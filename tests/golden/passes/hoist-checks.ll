; A check in a loop is decided before the loop: the index grows, becomes smaller, or is counted up to a number that
; it must not reach. The copy of the loop keeps the check. A loop that may be left earlier is copied, and one in which
; threads wait for each other is not. The lanes of a wave of an AMD GPU agree on one of the loops.
; RUN: offloadc %s --run-pass=hoist_checks --offload-arch=sm_80 --kernel=k | grep -v "^target"
; RUN[wave]: offloadc %s --run-pass=hoist_checks --offload-arch=gfx90a --kernel=k | grep -A2 "call i64.*ballot"

declare void @__offload_panic(i32, i64, i64)
declare void @wait() convergent

define void @k(ptr %x, i64 %n, i64 %count, i32 %start, ptr %out) {
entry:
  %first = zext i32 %start to i64
  br label %grows
grows:
  %i = phi i64 [ %first, %entry ], [ %i.next, %grown ]
  %k = phi i64 [ 0, %entry ], [ %k.next, %grown ]
  %in = icmp ult i64 %i, %n
  br i1 %in, label %grown, label %panic
grown:
  %i.at = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %i.at
  store float %v, ptr %out
  %i.next = add i64 %i, 64
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %count
  br i1 %more, label %grows, label %down
down:
  %j = phi i64 [ %i.next, %grown ], [ %j.next, %downed ]
  %l = phi i64 [ %count, %grown ], [ %l.next, %downed ]
  %out.of = icmp uge i64 %j, %n
  br i1 %out.of, label %panic, label %low
low:
  %j.at = getelementptr float, ptr %x, i64 %j
  %w = load float, ptr %j.at
  %stop = fcmp oeq float %w, 0.0
  br i1 %stop, label %counts, label %downed
downed:
  %j.next = add i64 %j, -3
  %l.next = add i64 %l, -1
  %less = icmp ne i64 %l.next, 0
  br i1 %less, label %down, label %counts
counts:
  br label %head
head:
  %m = phi i64 [ 0, %counts ], [ %m.next, %body ]
  %end = icmp eq i64 %m, %count
  br i1 %end, label %waits, label %test
test:
  %is.limit = icmp eq i64 %m, 512
  br i1 %is.limit, label %alone, label %body
body:
  %m.at = getelementptr float, ptr %out, i64 %m
  store float 0.0, ptr %m.at
  %m.next = add i64 %m, 1
  br label %head
waits:
  %p = phi i64 [ 0, %head ], [ %p.next, %waited ]
  %p.in = icmp ult i64 %p, %n
  br i1 %p.in, label %waited, label %alone
waited:
  call void @wait()
  %p.next = add i64 %p, 1
  %again = icmp ult i64 %p.next, %count
  br i1 %again, label %waits, label %done
done:
  ret void
panic:
  %index = phi i64 [ %i, %grows ], [ %j, %down ]
  call void @__offload_panic(i32 1, i64 %index, i64 %n)
  unreachable
alone:
  call void @__offload_panic(i32 2, i64 512, i64 512)
  unreachable
}
;;; stdout
;
; declare void @__offload_panic(i32, i64, i64)
;
; ; Function Attrs: convergent
; declare void @wait() #0
;
; define void @k(ptr %x, i64 %n, i64 %count, i32 %start, ptr %out) {
; entry:
;   %first = zext i32 %start to i64
;   %umax = call i64 @llvm.umax.i64(i64 %count, i64 1)
;   %0 = add i64 %umax, -1
;   %1 = freeze i64 %0
;   %2 = icmp ult i64 %1, 2147483648
;   %3 = freeze i64 %first
;   %4 = freeze i64 %n
;   %5 = mul i64 %1, 64
;   %6 = add i64 %3, %5
;   %7 = icmp ult i64 %6, %4
;   %8 = and i1 %2, %7
;   br i1 %8, label %entry.split, label %entry.split.checked, !prof !0
;
; entry.split:                                      ; preds = %entry
;   br label %grows
;
; grows:                                            ; preds = %grown, %entry.split
;   %i = phi i64 [ %first, %entry.split ], [ %i.next, %grown ]
;   %k = phi i64 [ 0, %entry.split ], [ %k.next, %grown ]
;   %in = icmp ult i64 %i, %n
;   br label %grown
;
; grown:                                            ; preds = %grows
;   %i.at = getelementptr float, ptr %x, i64 %i
;   %v = load float, ptr %i.at, align 4
;   store float %v, ptr %out, align 4
;   %i.next = add i64 %i, 64
;   %k.next = add i64 %k, 1
;   %more = icmp ult i64 %k.next, %count
;   br i1 %more, label %grows, label %down.loopexit
;
; down.loopexit:                                    ; preds = %grown.checked, %grown
;   %i.next.lcssa = phi i64 [ %i.next, %grown ], [ %i.next.checked, %grown.checked ]
;   %9 = add i64 %count, -1
;   %10 = freeze i64 %9
;   %11 = icmp ult i64 %10, 2147483648
;   %12 = freeze i64 %i.next.lcssa
;   %13 = freeze i64 %n
;   %14 = mul i64 %10, 3
;   %15 = icmp ule i64 %14, %12
;   %16 = sub i64 %12, %14
;   %17 = icmp ult i64 %12, %13
;   %18 = and i1 %15, %17
;   %19 = and i1 %11, %18
;   br i1 %19, label %down.loopexit.split, label %down.loopexit.split.checked, !prof !0
;
; down.loopexit.split:                              ; preds = %down.loopexit
;   br label %down
;
; down:                                             ; preds = %down.loopexit.split, %downed
;   %j = phi i64 [ %j.next, %downed ], [ %i.next.lcssa, %down.loopexit.split ]
;   %l = phi i64 [ %l.next, %downed ], [ %count, %down.loopexit.split ]
;   %out.of = icmp uge i64 %j, %n
;   br label %low
;
; low:                                              ; preds = %down
;   %j.at = getelementptr float, ptr %x, i64 %j
;   %w = load float, ptr %j.at, align 4
;   %stop = fcmp oeq float %w, 0.000000e+00
;   br i1 %stop, label %counts, label %downed
;
; downed:                                           ; preds = %low
;   %j.next = add i64 %j, -3
;   %l.next = add i64 %l, -1
;   %less = icmp ne i64 %l.next, 0
;   br i1 %less, label %down, label %counts
;
; counts:                                           ; preds = %downed.checked, %low.checked, %downed, %low
;   %20 = freeze i64 %count
;   %21 = sub i64 %20, 1
;   %22 = icmp ult i64 %21, 2147483648
;   %23 = icmp ult i64 %21, 512
;   %24 = and i1 %22, %23
;   br i1 %24, label %counts.split, label %counts.split.checked, !prof !0
;
; counts.split:                                     ; preds = %counts
;   br label %head
;
; head:                                             ; preds = %body, %counts.split
;   %m = phi i64 [ 0, %counts.split ], [ %m.next, %body ]
;   %end = icmp eq i64 %m, %count
;   br i1 %end, label %waits.loopexit, label %test
;
; test:                                             ; preds = %head
;   %is.limit = icmp eq i64 %m, 512
;   br label %body
;
; body:                                             ; preds = %test
;   %m.at = getelementptr float, ptr %out, i64 %m
;   store float 0.000000e+00, ptr %m.at, align 4
;   %m.next = add i64 %m, 1
;   br label %head
;
; waits.loopexit:                                   ; preds = %head.checked, %head
;   br label %waits
;
; waits:                                            ; preds = %waits.loopexit, %waited
;   %p = phi i64 [ %p.next, %waited ], [ 0, %waits.loopexit ]
;   %p.in = icmp ult i64 %p, %n
;   br i1 %p.in, label %waited, label %alone
;
; waited:                                           ; preds = %waits
;   call void @wait()
;   %p.next = add i64 %p, 1
;   %again = icmp ult i64 %p.next, %count
;   br i1 %again, label %waits, label %done
;
; done:                                             ; preds = %waited
;   ret void
;
; panic.loopexit:                                   ; preds = %grows.checked
;   br label %panic
;
; panic.loopexit2:                                  ; preds = %down.checked
;   br label %panic
;
; panic:                                            ; preds = %panic.loopexit2, %panic.loopexit
;   %index = phi i64 [ %i.checked, %panic.loopexit ], [ %j.checked, %panic.loopexit2 ]
;   call void @__offload_panic(i32 1, i64 %index, i64 %n)
;   unreachable
;
; alone.loopexit:                                   ; preds = %test.checked
;   br label %alone
;
; alone:                                            ; preds = %alone.loopexit, %waits
;   call void @__offload_panic(i32 2, i64 512, i64 512)
;   unreachable
;
; entry.split.checked:                              ; preds = %entry
;   br label %grows.checked
;
; grows.checked:                                    ; preds = %grown.checked, %entry.split.checked
;   %i.checked = phi i64 [ %first, %entry.split.checked ], [ %i.next.checked, %grown.checked ]
;   %k.checked = phi i64 [ 0, %entry.split.checked ], [ %k.next.checked, %grown.checked ]
;   %in.checked = icmp ult i64 %i.checked, %n
;   br i1 %in.checked, label %grown.checked, label %panic.loopexit
;
; grown.checked:                                    ; preds = %grows.checked
;   %i.at.checked = getelementptr float, ptr %x, i64 %i.checked
;   %v.checked = load float, ptr %i.at.checked, align 4
;   store float %v.checked, ptr %out, align 4
;   %i.next.checked = add i64 %i.checked, 64
;   %k.next.checked = add i64 %k.checked, 1
;   %more.checked = icmp ult i64 %k.next.checked, %count
;   br i1 %more.checked, label %grows.checked, label %down.loopexit, !llvm.loop !1
;
; down.loopexit.split.checked:                      ; preds = %down.loopexit
;   br label %down.checked
;
; down.checked:                                     ; preds = %downed.checked, %down.loopexit.split.checked
;   %j.checked = phi i64 [ %j.next.checked, %downed.checked ], [ %i.next.lcssa, %down.loopexit.split.checked ]
;   %l.checked = phi i64 [ %l.next.checked, %downed.checked ], [ %count, %down.loopexit.split.checked ]
;   %out.of.checked = icmp uge i64 %j.checked, %n
;   br i1 %out.of.checked, label %panic.loopexit2, label %low.checked
;
; low.checked:                                      ; preds = %down.checked
;   %j.at.checked = getelementptr float, ptr %x, i64 %j.checked
;   %w.checked = load float, ptr %j.at.checked, align 4
;   %stop.checked = fcmp oeq float %w.checked, 0.000000e+00
;   br i1 %stop.checked, label %counts, label %downed.checked
;
; downed.checked:                                   ; preds = %low.checked
;   %j.next.checked = add i64 %j.checked, -3
;   %l.next.checked = add i64 %l.checked, -1
;   %less.checked = icmp ne i64 %l.next.checked, 0
;   br i1 %less.checked, label %down.checked, label %counts, !llvm.loop !3
;
; counts.split.checked:                             ; preds = %counts
;   br label %head.checked
;
; head.checked:                                     ; preds = %body.checked, %counts.split.checked
;   %m.checked = phi i64 [ 0, %counts.split.checked ], [ %m.next.checked, %body.checked ]
;   %end.checked = icmp eq i64 %m.checked, %count
;   br i1 %end.checked, label %waits.loopexit, label %test.checked
;
; test.checked:                                     ; preds = %head.checked
;   %is.limit.checked = icmp eq i64 %m.checked, 512
;   br i1 %is.limit.checked, label %alone.loopexit, label %body.checked
;
; body.checked:                                     ; preds = %test.checked
;   %m.at.checked = getelementptr float, ptr %out, i64 %m.checked
;   store float 0.000000e+00, ptr %m.at.checked, align 4
;   %m.next.checked = add i64 %m.checked, 1
;   br label %head.checked, !llvm.loop !4
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare i64 @llvm.umax.i64(i64, i64) #1
;
; attributes #0 = { convergent }
; attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
;
; !0 = !{!"branch_weights", i32 1048575, i32 1}
; !1 = distinct !{!1, !2}
; !2 = !{!"llvm.loop.unroll.disable"}
; !3 = distinct !{!3, !2}
; !4 = distinct !{!4, !2}
;;; stdout[wave]
;   %10 = call i64 @llvm.amdgcn.ballot.i64(i1 %9)
;   %11 = icmp eq i64 %10, 0
;   br i1 %11, label %entry.split, label %entry.split.checked, !prof !0
; --
;   %24 = call i64 @llvm.amdgcn.ballot.i64(i1 %23)
;   %25 = icmp eq i64 %24, 0
;   br i1 %25, label %down.loopexit.split, label %down.loopexit.split.checked, !prof !0
; --
;   %32 = call i64 @llvm.amdgcn.ballot.i64(i1 %31)
;   %33 = icmp eq i64 %32, 0
;   br i1 %33, label %counts.split, label %counts.split.checked, !prof !0
