; Bounds checks whose lengths are among the bytes of an argument have a table, whose code finds the check that fails and
; its length. Checks of one index in a row are looked at in one loop, and the index may be at a distance from it. A check
; with another length, and one whose panic says something else, are found as before.
; RUN: offloadc %s --run-pass=join_checks --offload-arch=sm_80 --kernel=k | grep -v "^target"

declare void @__offload_panic(i32, i32, i64, i64)

define void @k(ptr byval([8 x i64]) align 8 %args, i64 %i, i64 %j, i64 %n, ptr %out) {
  %x = load i64, ptr %args
  %y.at = getelementptr i8, ptr %args, i64 24
  %y = load i64, ptr %y.at
  %first = icmp ult i64 %i, %x
  br i1 %first, label %one, label %panic
one:
  %before = add i64 %i, -1
  %beyond = icmp uge i64 %before, %y
  br i1 %beyond, label %panic.one, label %two
two:
  %again = icmp ult i64 %i, %y
  br i1 %again, label %more, label %panic
more:
  %third = icmp ugt i64 %y, %j
  br i1 %third, label %three, label %panic
three:
  %fourth = icmp ult i64 %j, %n
  br i1 %fourth, label %four, label %panic
four:
  store i64 %i, ptr %out
  %last = icmp ult i64 %n, %x
  br i1 %last, label %five, label %panic
five:
  ret void
panic.one:
  br label %panic
panic:
  %place = phi i32 [ 1, %0 ], [ 2, %panic.one ], [ 6, %two ], [ 3, %more ], [ 4, %three ], [ 5, %four ]
  %index = phi i64 [ %i, %0 ], [ %before, %panic.one ], [ %i, %two ], [ %j, %more ], [ %j, %three ], [ 7, %four ]
  %length = phi i64 [ %x, %0 ], [ %y, %panic.one ], [ %y, %two ], [ %y, %more ], [ %n, %three ], [ %x, %four ]
  call void @__offload_panic(i32 1, i32 %place, i64 %index, i64 %length)
  unreachable
}
;;; stdout
;
; @offload_checks = internal unnamed_addr constant [12 x i32] [i32 0, i32 0, i32 1, i32 24, i32 -1, i32 2, i32 24, i32 0, i32 6, i32 24, i32 0, i32 3], align 8
;
; declare void @__offload_panic(i32, i32, i64, i64)
;
; define void @k(ptr byval([8 x i64]) align 8 %args, i64 %i, i64 %j, i64 %n, ptr %out) {
;   %x = load i64, ptr %args, align 4
;   %y.at = getelementptr i8, ptr %args, i64 24
;   %y = load i64, ptr %y.at, align 4
;   %first = icmp ult i64 %i, %x
;   %1 = add i64 %i, -1
;   %2 = icmp uge i64 %1, %y
;   %3 = icmp ult i64 %i, %y
;   %4 = icmp ugt i64 %y, %j
;   %5 = icmp ult i64 %j, %n
;   %6 = xor i1 %2, true
;   %7 = select i1 %4, i1 %5, i1 false
;   %8 = select i1 %3, i1 %7, i1 false
;   %9 = select i1 %6, i1 %8, i1 false
;   %10 = select i1 %first, i1 %9, i1 false
;   br i1 %10, label %one, label %failed9
;
; one:                                              ; preds = %0
;   br label %two
;
; two:                                              ; preds = %one
;   br label %more
;
; more:                                             ; preds = %two
;   br label %three
;
; three:                                            ; preds = %more
;   br label %four
;
; four:                                             ; preds = %three
;   store i64 %i, ptr %out, align 4
;   %last = icmp ult i64 %n, %x
;   br i1 %last, label %five, label %panic
;
; five:                                             ; preds = %four
;   ret void
;
; panic:                                            ; preds = %failed11, %search, %four
;   %11 = phi i32 [ %24, %search ], [ 5, %four ], [ 4, %failed11 ]
;   %12 = phi i64 [ %index8, %search ], [ 7, %four ], [ %j, %failed11 ]
;   %13 = phi i64 [ %length7, %search ], [ %x, %four ], [ %n, %failed11 ]
;   call void @__offload_panic(i32 1, i32 %11, i64 %12, i64 %13)
;   unreachable
;
; failed:                                           ; preds = %failed5, %failed2
;   %first1 = phi i64 [ %i, %failed2 ], [ %j, %failed5 ]
;   %row = phi i32 [ 0, %failed2 ], [ 36, %failed5 ]
;   br label %search
;
; search:                                           ; preds = %search, %failed
;   %row6 = phi i32 [ %row, %failed ], [ %25, %search ]
;   %14 = zext i32 %row6 to i64
;   %15 = getelementptr inbounds i8, ptr @offload_checks, i64 %14
;   %16 = getelementptr inbounds i8, ptr %15, i64 0
;   %17 = load i32, ptr %16, align 4
;   %18 = zext i32 %17 to i64
;   %19 = getelementptr inbounds i8, ptr %args, i64 %18
;   %length7 = load i64, ptr %19, align 8
;   %20 = getelementptr inbounds i8, ptr %15, i64 4
;   %21 = load i32, ptr %20, align 4
;   %22 = sext i32 %21 to i64
;   %index8 = add i64 %first1, %22
;   %23 = getelementptr inbounds i8, ptr %15, i64 8
;   %24 = load i32, ptr %23, align 4
;   %25 = add i32 %row6, 12
;   %26 = icmp ult i64 %index8, %length7
;   br i1 %26, label %search, label %panic
;
; failed2:                                          ; preds = %failed9
;   br label %failed
;
; failed5:                                          ; preds = %failed10
;   br label %failed
;
; failed9:                                          ; preds = %0
;   %27 = select i1 %6, i1 %3, i1 false
;   %28 = select i1 %first, i1 %27, i1 false
;   br i1 %28, label %failed10, label %failed2
;
; failed10:                                         ; preds = %failed9
;   br i1 %4, label %failed11, label %failed5
;
; failed11:                                         ; preds = %failed10
;   br label %panic
; }
