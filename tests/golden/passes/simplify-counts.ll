; The number of iterations of a loop over every n-th number is computed as it is where there are some, if nothing else
; reads it. Comparisons with 0 compare the ends. A number that is read elsewhere remains, and so does that of a loop whose
; distance may wrap around.
; RUN: offloadc %s --run-pass=simplify_counts --offload-arch=sm_80 --kernel=k | grep -v "^target"

define void @k(ptr %x, i64 %n, i32 %thread, i64 %step, ptr %out) {
entry:
  %start = zext i32 %thread to i64
  %distance = call i64 @llvm.usub.sat.i64(i64 %n, i64 %start)
  %down = lshr i64 %distance, 7
  %rest = and i64 %distance, 127
  %is.more = icmp ne i64 %rest, 0
  %more = zext i1 %is.more to i64
  %count = add i64 %down, %more
  %none = icmp eq i64 %count, 0
  br i1 %none, label %next, label %loop
loop:
  %i = phi i64 [ %start, %entry ], [ %i.next, %loop ]
  %left = phi i64 [ %count, %entry ], [ %less, %loop ]
  %at = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %at
  %i.next = add i64 %i, 128
  %less = add i64 %left, -1
  %ends = icmp eq i64 %less, 0
  br i1 %ends, label %next, label %loop
next:
  %quotient = udiv i64 %n, %step
  %remainder = urem i64 %n, %step
  %is.rest = icmp ne i64 %remainder, 0
  %one = zext i1 %is.rest to i64
  %steps = add i64 %quotient, %one
  %some = icmp ne i64 %n, 0
  br i1 %some, label %stepped, label %after
stepped:
  %j = phi i64 [ 0, %next ], [ %j.next, %stepped ]
  %j.left = phi i64 [ %steps, %next ], [ %j.less, %stepped ]
  %j.at = getelementptr float, ptr %x, i64 %j
  store float 2.0, ptr %j.at
  %j.next = add i64 %j, %step
  %j.less = add i64 %j.left, -1
  %goes.on = icmp ne i64 %j.less, 0
  br i1 %goes.on, label %stepped, label %after
after:
  %far = call i64 @llvm.usub.sat.i64(i64 %n, i64 %start)
  %fours = lshr i64 %far, 2
  %low = and i64 %far, 3
  %is.low = icmp ne i64 %low, 0
  %last = zext i1 %is.low to i64
  %seen = add i64 %fours, %last
  store i64 %seen, ptr %out
  %is.above = icmp ugt i64 %n, %start
  br i1 %is.above, label %known, label %done
known:
  %l = phi i64 [ %start, %after ], [ %l.next, %known ]
  %l.left = phi i64 [ %seen, %after ], [ %l.less, %known ]
  %l.at = getelementptr float, ptr %x, i64 %l
  store float 3.0, ptr %l.at
  %l.next = add i64 %l, 4
  %l.less = add i64 %l.left, -1
  %l.ends = icmp eq i64 %l.less, 0
  br i1 %l.ends, label %wraps, label %known
wraps:
  %w = sub i64 %n, %start
  %w.eights = lshr i64 %w, 3
  %w.rest = and i64 %w, 7
  %w.is.rest = icmp ne i64 %w.rest, 0
  %w.one = zext i1 %w.is.rest to i64
  %w.count = add i64 %w.eights, %w.one
  br label %unknown
unknown:
  %m = phi i64 [ %start, %wraps ], [ %m.next, %unknown ]
  %m.left = phi i64 [ %w.count, %wraps ], [ %m.less, %unknown ]
  %m.at = getelementptr float, ptr %x, i64 %m
  store float 4.0, ptr %m.at
  %m.next = add i64 %m, 8
  %m.less = add i64 %m.left, -1
  %m.ends = icmp eq i64 %m.less, 0
  br i1 %m.ends, label %done, label %unknown
done:
  ret void
}

declare i64 @llvm.usub.sat.i64(i64, i64)
;;; stdout
;
; define void @k(ptr %x, i64 %n, i32 %thread, i64 %step, ptr %out) {
; entry:
;   %start = zext i32 %thread to i64
;   %0 = sub i64 %n, %start
;   %1 = sub i64 %0, 1
;   %2 = udiv i64 %1, 128
;   %3 = add i64 %2, 1
;   %4 = icmp ule i64 %n, %start
;   br i1 %4, label %next, label %loop
;
; loop:                                             ; preds = %loop, %entry
;   %i = phi i64 [ %start, %entry ], [ %i.next, %loop ]
;   %left = phi i64 [ %3, %entry ], [ %less, %loop ]
;   %at = getelementptr float, ptr %x, i64 %i
;   store float 1.000000e+00, ptr %at, align 4
;   %i.next = add i64 %i, 128
;   %less = add i64 %left, -1
;   %ends = icmp eq i64 %less, 0
;   br i1 %ends, label %next, label %loop
;
; next:                                             ; preds = %loop, %entry
;   %5 = sub i64 %n, 0
;   %6 = sub i64 %5, 1
;   %7 = udiv i64 %6, %step
;   %8 = add i64 %7, 1
;   %some = icmp ne i64 %n, 0
;   br i1 %some, label %stepped, label %after
;
; stepped:                                          ; preds = %stepped, %next
;   %j = phi i64 [ 0, %next ], [ %j.next, %stepped ]
;   %j.left = phi i64 [ %8, %next ], [ %j.less, %stepped ]
;   %j.at = getelementptr float, ptr %x, i64 %j
;   store float 2.000000e+00, ptr %j.at, align 4
;   %j.next = add i64 %j, %step
;   %j.less = add i64 %j.left, -1
;   %goes.on = icmp ne i64 %j.less, 0
;   br i1 %goes.on, label %stepped, label %after
;
; after:                                            ; preds = %stepped, %next
;   %far = call i64 @llvm.usub.sat.i64(i64 %n, i64 %start)
;   %fours = lshr i64 %far, 2
;   %low = and i64 %far, 3
;   %is.low = icmp ne i64 %low, 0
;   %last = zext i1 %is.low to i64
;   %seen = add i64 %fours, %last
;   store i64 %seen, ptr %out, align 4
;   %is.above = icmp ugt i64 %n, %start
;   br i1 %is.above, label %known, label %done
;
; known:                                            ; preds = %known, %after
;   %l = phi i64 [ %start, %after ], [ %l.next, %known ]
;   %l.left = phi i64 [ %seen, %after ], [ %l.less, %known ]
;   %l.at = getelementptr float, ptr %x, i64 %l
;   store float 3.000000e+00, ptr %l.at, align 4
;   %l.next = add i64 %l, 4
;   %l.less = add i64 %l.left, -1
;   %l.ends = icmp eq i64 %l.less, 0
;   br i1 %l.ends, label %wraps, label %known
;
; wraps:                                            ; preds = %known
;   %w = sub i64 %n, %start
;   %w.eights = lshr i64 %w, 3
;   %w.rest = and i64 %w, 7
;   %w.is.rest = icmp ne i64 %w.rest, 0
;   %w.one = zext i1 %w.is.rest to i64
;   %w.count = add i64 %w.eights, %w.one
;   br label %unknown
;
; unknown:                                          ; preds = %unknown, %wraps
;   %m = phi i64 [ %start, %wraps ], [ %m.next, %unknown ]
;   %m.left = phi i64 [ %w.count, %wraps ], [ %m.less, %unknown ]
;   %m.at = getelementptr float, ptr %x, i64 %m
;   store float 4.000000e+00, ptr %m.at, align 4
;   %m.next = add i64 %m, 8
;   %m.less = add i64 %m.left, -1
;   %m.ends = icmp eq i64 %m.less, 0
;   br i1 %m.ends, label %done, label %unknown
;
; done:                                             ; preds = %unknown, %after
;   ret void
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare i64 @llvm.usub.sat.i64(i64, i64) #0
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
