; Loops whose counters are not the number of steps from the start to the end remain: a distance that wraps around if the
; end is below the start, although the loop has iterations, and a number of 64 bits without its upper half. A distance
; that wraps around is known if a branch says that the end is above the start.
; RUN: offloadc %s --run-pass=drop_counters --offload-arch=gfx90a --kernel=k | grep -v "^target"

define void @k(ptr %x, i64 %start, i64 %n) {
entry:
  %distance = sub i64 %n, %start
  %down = udiv i64 %distance, 3
  %rest = urem i64 %distance, 3
  %is.more = icmp ne i64 %rest, 0
  %more = zext i1 %is.more to i64
  %count = add i64 %down, %more
  %some = icmp ne i64 %count, 0
  br i1 %some, label %wrapping, label %narrow
wrapping:
  %i = phi i64 [ %start, %entry ], [ %i.next, %wrapping ]
  %left = phi i64 [ %count, %entry ], [ %less, %wrapping ]
  %at = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %at
  %i.next = add i64 %i, 3
  %less = add i64 %left, -1
  %ends = icmp eq i64 %less, 0
  br i1 %ends, label %narrow, label %wrapping
narrow:
  %half = lshr i64 %n, 1
  %halves = sub i64 %n, %half
  %low = trunc i64 %halves to i32
  %low.some = icmp ne i32 %low, 0
  br i1 %low.some, label %low.loop, label %known
low.loop:
  %j = phi i64 [ 0, %narrow ], [ %j.next, %low.loop ]
  %low.left = phi i32 [ %low, %narrow ], [ %low.less, %low.loop ]
  %j.at = getelementptr float, ptr %x, i64 %j
  store float 2.0, ptr %j.at
  %j.next = add i64 %j, 2
  %low.less = add i32 %low.left, -1
  %low.ends = icmp eq i32 %low.less, 0
  br i1 %low.ends, label %known, label %low.loop
known:
  %is.above = icmp ugt i64 %n, %start
  br i1 %is.above, label %above, label %done
above:
  %k = phi i64 [ %start, %known ], [ %k.next, %above ]
  %k.left = phi i64 [ %count, %known ], [ %k.less, %above ]
  %k.at = getelementptr float, ptr %x, i64 %k
  store float 3.0, ptr %k.at
  %k.next = add i64 %k, 3
  %k.less = add i64 %k.left, -1
  %k.ends = icmp eq i64 %k.less, 0
  br i1 %k.ends, label %done, label %above
done:
  ret void
}
;;; stdout
;
; define void @k(ptr %x, i64 %start, i64 %n) {
; entry:
;   %distance = sub i64 %n, %start
;   %down = udiv i64 %distance, 3
;   %rest = urem i64 %distance, 3
;   %is.more = icmp ne i64 %rest, 0
;   %more = zext i1 %is.more to i64
;   %0 = call i64 @llvm.umax.i64(i64 %n, i64 3)
;   %1 = sub nuw i64 %0, 3
;   %count = add i64 %down, %more
;   %some = icmp ne i64 %count, 0
;   br i1 %some, label %wrapping, label %narrow
;
; wrapping:                                         ; preds = %wrapping, %entry
;   %i = phi i64 [ %start, %entry ], [ %i.next, %wrapping ]
;   %left = phi i64 [ %count, %entry ], [ %less, %wrapping ]
;   %at = getelementptr float, ptr %x, i64 %i
;   store float 1.000000e+00, ptr %at, align 4
;   %i.next = add i64 %i, 3
;   %less = add i64 %left, -1
;   %ends = icmp eq i64 %less, 0
;   br i1 %ends, label %narrow, label %wrapping
;
; narrow:                                           ; preds = %wrapping, %entry
;   %half = lshr i64 %n, 1
;   %halves = sub i64 %n, %half
;   %low = trunc i64 %halves to i32
;   %low.some = icmp ne i32 %low, 0
;   br i1 %low.some, label %low.loop, label %known
;
; low.loop:                                         ; preds = %low.loop, %narrow
;   %j = phi i64 [ 0, %narrow ], [ %j.next, %low.loop ]
;   %low.left = phi i32 [ %low, %narrow ], [ %low.less, %low.loop ]
;   %j.at = getelementptr float, ptr %x, i64 %j
;   store float 2.000000e+00, ptr %j.at, align 4
;   %j.next = add i64 %j, 2
;   %low.less = add i32 %low.left, -1
;   %low.ends = icmp eq i32 %low.less, 0
;   br i1 %low.ends, label %known, label %low.loop
;
; known:                                            ; preds = %low.loop, %narrow
;   %is.above = icmp ugt i64 %n, %start
;   br i1 %is.above, label %above, label %done
;
; above:                                            ; preds = %above, %known
;   %k = phi i64 [ %start, %known ], [ %k.next, %above ]
;   %k.at = getelementptr float, ptr %x, i64 %k
;   store float 3.000000e+00, ptr %k.at, align 4
;   %k.next = add i64 %k, 3
;   %2 = icmp uge i64 %k, %1
;   br i1 %2, label %done, label %above, !llvm.loop !0
;
; done:                                             ; preds = %above, %known
;   ret void
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare i64 @llvm.umax.i64(i64, i64) #0
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
;
; !0 = distinct !{!0, !1}
; !1 = !{!"llvm.loop.unroll.runtime.disable"}
