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
  %place = phi i32 [ 1, %0 ], [ 2, %panic.one ], [ 3, %two ], [ 4, %three ], [ 5, %four ]
  %index = phi i64 [ %i, %0 ], [ %before, %panic.one ], [ %j, %two ], [ %j, %three ], [ 7, %four ]
  %length = phi i64 [ %x, %0 ], [ %y, %panic.one ], [ %y, %two ], [ %n, %three ], [ %x, %four ]
  call void @__offload_panic(i32 1, i32 %place, i64 %index, i64 %length)
  unreachable
}
;;; stdout
;
; @offload_checks = internal unnamed_addr constant [9 x i32] [i32 0, i32 0, i32 1, i32 24, i32 -1, i32 2, i32 24, i32 0, i32 3], align 8
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
;   %3 = icmp ugt i64 %y, %j
;   %4 = icmp ult i64 %j, %n
;   %5 = xor i1 %2, true
;   %6 = select i1 %3, i1 %4, i1 false
;   %7 = select i1 %5, i1 %6, i1 false
;   %8 = select i1 %first, i1 %7, i1 false
;   br i1 %8, label %one, label %failed8
;
; one:                                              ; preds = %0
;   br label %two
;
; two:                                              ; preds = %one
;   br label %three
;
; three:                                            ; preds = %two
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
; panic:                                            ; preds = %failed10, %search, %four
;   %9 = phi i32 [ %22, %search ], [ 5, %four ], [ 4, %failed10 ]
;   %10 = phi i64 [ %index7, %search ], [ 7, %four ], [ %j, %failed10 ]
;   %11 = phi i64 [ %length6, %search ], [ %x, %four ], [ %n, %failed10 ]
;   call void @__offload_panic(i32 1, i32 %9, i64 %10, i64 %11)
;   unreachable
;
; failed:                                           ; preds = %failed4, %failed2
;   %first1 = phi i64 [ %i, %failed2 ], [ %j, %failed4 ]
;   %row = phi i32 [ 0, %failed2 ], [ 24, %failed4 ]
;   br label %search
;
; search:                                           ; preds = %search, %failed
;   %row5 = phi i32 [ %row, %failed ], [ %23, %search ]
;   %12 = zext i32 %row5 to i64
;   %13 = getelementptr inbounds i8, ptr @offload_checks, i64 %12
;   %14 = getelementptr inbounds i8, ptr %13, i64 0
;   %15 = load i32, ptr %14, align 4
;   %16 = zext i32 %15 to i64
;   %17 = getelementptr inbounds i8, ptr %args, i64 %16
;   %length6 = load i64, ptr %17, align 8
;   %18 = getelementptr inbounds i8, ptr %13, i64 4
;   %19 = load i32, ptr %18, align 4
;   %20 = sext i32 %19 to i64
;   %index7 = add i64 %first1, %20
;   %21 = getelementptr inbounds i8, ptr %13, i64 8
;   %22 = load i32, ptr %21, align 4
;   %23 = add i32 %row5, 12
;   %24 = icmp ult i64 %index7, %length6
;   br i1 %24, label %search, label %panic
;
; failed2:                                          ; preds = %failed8
;   br label %failed
;
; failed4:                                          ; preds = %failed9
;   br label %failed
;
; failed8:                                          ; preds = %0
;   %25 = select i1 %first, i1 %5, i1 false
;   br i1 %25, label %failed9, label %failed2
;
; failed9:                                          ; preds = %failed8
;   br i1 %3, label %failed10, label %failed4
;
; failed10:                                         ; preds = %failed9
;   br label %panic
; }
