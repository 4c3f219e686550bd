; A loop over every n-th number, which Rust's library counts, ends by its index. The index is compared with the end itself
; if both are known to be so small that no sum wraps around, and checks that the index is below the end are decided. A
; loop that may have no iteration, or whose counter has other users, remains.
; RUN: offloadc %s --run-pass=drop_counters --offload-arch=gfx90a --kernel=k | grep -v "^target"

define void @k(ptr %x, i64 %n, i32 %thread, i32 %size, i64 %any, ptr %out) {
entry:
  %start = zext i32 %thread to i64
  %distance = call i64 @llvm.usub.sat.i64(i64 %n, i64 %start)
  %down = lshr i64 %distance, 7
  %rest = and i64 %distance, 127
  %is.more = icmp ne i64 %rest, 0
  %more = zext i1 %is.more to i64
  %count = add i64 %down, %more
  %some = icmp ugt i64 %n, %start
  br i1 %some, label %loop, label %small
loop:
  %i = phi i64 [ %start, %entry ], [ %i.next, %in ]
  %left = phi i64 [ %count, %entry ], [ %less, %in ]
  %is.in = icmp ult i64 %i, %n
  br i1 %is.in, label %in, label %panic
in:
  %at = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %at
  %i.next = add i64 %i, 128
  %less = add i64 %left, -1
  %ends = icmp eq i64 %less, 0
  br i1 %ends, label %small, label %loop
small:
  %end = lshr i64 %n, 2
  %step = zext i32 %size to i64
  %small.distance = call i64 @llvm.usub.sat.i64(i64 %end, i64 %start)
  %quotient = udiv i64 %small.distance, %step
  %remainder = urem i64 %small.distance, %step
  %is.rest = icmp ne i64 %remainder, 0
  %one = zext i1 %is.rest to i64
  %small.count = add i64 %quotient, %one
  %none = icmp eq i64 %small.count, 0
  br i1 %none, label %stays, label %steps
steps:
  %j = phi i64 [ %start, %small ], [ %j.next, %steps ]
  %j.left = phi i64 [ %small.count, %small ], [ %j.less, %steps ]
  %j.at = getelementptr float, ptr %x, i64 %j
  store float 2.0, ptr %j.at
  %j.next = add i64 %j, %step
  %j.less = add i64 %j.left, -1
  %goes.on = icmp ne i64 %j.less, 0
  br i1 %goes.on, label %steps, label %stays
stays:
  %half = lshr i64 %any, 1
  %halves = sub i64 %any, %half
  br label %unknown
unknown:
  %k = phi i64 [ 0, %stays ], [ %k.next, %unknown ]
  %k.left = phi i64 [ %halves, %stays ], [ %k.less, %unknown ]
  %k.at = getelementptr float, ptr %x, i64 %k
  store float 3.0, ptr %k.at
  %k.next = add i64 %k, 2
  %k.less = add i64 %k.left, -1
  %k.ends = icmp eq i64 %k.less, 0
  br i1 %k.ends, label %odd, label %unknown
odd:
  %is.some = icmp ne i64 %any, 0
  br i1 %is.some, label %halved, label %seen
halved:
  %l = phi i64 [ 0, %odd ], [ %l.next, %halved ]
  %l.left = phi i64 [ %halves, %odd ], [ %l.less, %halved ]
  %l.at = getelementptr float, ptr %x, i64 %l
  store float 4.0, ptr %l.at
  %l.next = add i64 %l, 2
  %l.less = add i64 %l.left, -1
  %l.ends = icmp eq i64 %l.less, 0
  br i1 %l.ends, label %seen, label %halved, !llvm.loop !0
seen:
  br i1 %is.some, label %counted, label %done
counted:
  %m = phi i64 [ 0, %seen ], [ %m.next, %counted ]
  %m.left = phi i64 [ %halves, %seen ], [ %m.less, %counted ]
  store i64 %m.left, ptr %out
  %m.next = add i64 %m, 2
  %m.less = add i64 %m.left, -1
  %m.ends = icmp eq i64 %m.less, 0
  br i1 %m.ends, label %done, label %counted
done:
  ret void
panic:
  store i64 %i, ptr %out
  unreachable
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.count", i32 4}
;;; stdout
;
; define void @k(ptr %x, i64 %n, i32 %thread, i32 %size, i64 %any, ptr %out) {
; entry:
;   %start = zext i32 %thread to i64
;   %0 = call i64 @llvm.umax.i64(i64 %n, i64 128)
;   %1 = sub nuw i64 %0, 128
;   %some = icmp ugt i64 %n, %start
;   br i1 %some, label %loop, label %small
;
; loop:                                             ; preds = %in, %entry
;   %i = phi i64 [ %start, %entry ], [ %i.next, %in ]
;   br label %in
;
; in:                                               ; preds = %loop
;   %at = getelementptr float, ptr %x, i64 %i
;   store float 1.000000e+00, ptr %at, align 4
;   %i.next = add i64 %i, 128
;   %2 = icmp uge i64 %i, %1
;   br i1 %2, label %small, label %loop, !llvm.loop !0
;
; small:                                            ; preds = %in, %entry
;   %end = lshr i64 %n, 2
;   %step = zext i32 %size to i64
;   %3 = icmp ule i64 %end, %start
;   br i1 %3, label %stays, label %steps
;
; steps:                                            ; preds = %steps, %small
;   %j = phi i64 [ %start, %small ], [ %j.next, %steps ]
;   %j.at = getelementptr float, ptr %x, i64 %j
;   store float 2.000000e+00, ptr %j.at, align 4
;   %j.next = add nuw i64 %j, %step
;   %4 = icmp ult i64 %j.next, %end
;   br i1 %4, label %steps, label %stays, !llvm.loop !2
;
; stays:                                            ; preds = %steps, %small
;   %half = lshr i64 %any, 1
;   %5 = call i64 @llvm.umax.i64(i64 %any, i64 2)
;   %6 = sub nuw i64 %5, 2
;   %halves = sub i64 %any, %half
;   br label %unknown
;
; unknown:                                          ; preds = %unknown, %stays
;   %k = phi i64 [ 0, %stays ], [ %k.next, %unknown ]
;   %k.left = phi i64 [ %halves, %stays ], [ %k.less, %unknown ]
;   %k.at = getelementptr float, ptr %x, i64 %k
;   store float 3.000000e+00, ptr %k.at, align 4
;   %k.next = add i64 %k, 2
;   %k.less = add i64 %k.left, -1
;   %k.ends = icmp eq i64 %k.less, 0
;   br i1 %k.ends, label %odd, label %unknown
;
; odd:                                              ; preds = %unknown
;   %is.some = icmp ne i64 %any, 0
;   br i1 %is.some, label %halved, label %seen
;
; halved:                                           ; preds = %halved, %odd
;   %l = phi i64 [ 0, %odd ], [ %l.next, %halved ]
;   %l.at = getelementptr float, ptr %x, i64 %l
;   store float 4.000000e+00, ptr %l.at, align 4
;   %l.next = add i64 %l, 2
;   %7 = icmp uge i64 %l, %6
;   br i1 %7, label %seen, label %halved, !llvm.loop !3
;
; seen:                                             ; preds = %halved, %odd
;   br i1 %is.some, label %counted, label %done
;
; counted:                                          ; preds = %counted, %seen
;   %m = phi i64 [ 0, %seen ], [ %m.next, %counted ]
;   %m.left = phi i64 [ %halves, %seen ], [ %m.less, %counted ]
;   store i64 %m.left, ptr %out, align 4
;   %m.next = add i64 %m, 2
;   %m.less = add i64 %m.left, -1
;   %m.ends = icmp eq i64 %m.less, 0
;   br i1 %m.ends, label %done, label %counted
;
; done:                                             ; preds = %counted, %seen
;   ret void
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare i64 @llvm.usub.sat.i64(i64, i64) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare i64 @llvm.umax.i64(i64, i64) #0
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
;
; !0 = distinct !{!0, !1}
; !1 = !{!"llvm.loop.unroll.runtime.disable"}
; !2 = distinct !{!2, !1}
; !3 = distinct !{!3, !4}
; !4 = !{!"llvm.loop.unroll.count", i32 4}
