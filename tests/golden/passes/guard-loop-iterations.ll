; An iteration of a grid-stride loop has a version for the iterations after which no thread leaves it, whose counter is
; a parameter: a function returns whether all threads of a block may run it, and another one counts. There is none if
; the counter's step from thread to thread is not known, if its next value depends on the thread, if a loaded value
; decides, or if the threads do not come back.
; RUN: offloadc %s --run-pass=guard_loop_iterations --offload-arch=cpu | grep -v "^target"

define internal i32 @any(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  ret i32 0
}

define internal i32 @strided.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %own = mul i64 %number, 8
  %slot = getelementptr inbounds i8, ptr %memory, i64 %own
  %i = zext i32 %x to i64
  store i64 %i, ptr %slot
  ret i32 1
}

define internal i32 @strided.thread.1(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %own = mul i64 %number, 8
  %slot = getelementptr inbounds i8, ptr %memory, i64 %own
  %k = load i64, ptr %slot
  %grid = load i32, ptr %block, !invariant.load !9
  %stride = zext i32 %grid to i64
  %place = getelementptr i32, ptr %io, i64 %k
  store i32 %x, ptr %place
  %then = add i64 %k, %stride
  %more = icmp ult i64 %then, %n
  br i1 %more, label %again, label %end
again:
  store i64 %then, ptr %slot
  br label %end
end:
  %stop = phi i32 [ 1, %again ], [ 0, %0 ]
  ret i32 %stop
}

define internal i32 @unknown.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %own = mul i64 %number, 8
  %slot = getelementptr inbounds i8, ptr %memory, i64 %own
  %i = zext i32 %x to i64
  store i64 %i, ptr %slot
  ret i32 1
}

define internal i32 @unknown.thread.1(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %own = mul i64 %number, 8
  %slot = getelementptr inbounds i8, ptr %memory, i64 %own
  %k = load i64, ptr %slot
  %grid = load i32, ptr %block, !invariant.load !9
  %stride = zext i32 %grid to i64
  %place = getelementptr i32, ptr %io, i64 %k
  store i32 %x, ptr %place
  %then = add i64 %k, %stride
  %more = icmp ult i64 %then, %n
  br i1 %more, label %again, label %end
again:
  store i64 %then, ptr %slot
  br label %end
end:
  %stop = phi i32 [ 1, %again ], [ 0, %0 ]
  ret i32 %stop
}

define internal i32 @thread.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %own = mul i64 %number, 8
  %slot = getelementptr inbounds i8, ptr %memory, i64 %own
  %i = zext i32 %x to i64
  store i64 %i, ptr %slot
  ret i32 1
}

define internal i32 @thread.thread.1(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %own = mul i64 %number, 8
  %slot = getelementptr inbounds i8, ptr %memory, i64 %own
  %k = load i64, ptr %slot
  %grid = load i32, ptr %block, !invariant.load !9
  %stride = zext i32 %grid to i64
  %j = zext i32 %x to i64
  %place = getelementptr i32, ptr %io, i64 %k
  store i32 %x, ptr %place
  %then = add i64 %k, %j
  %more = icmp ult i64 %then, %n
  br i1 %more, label %again, label %end
again:
  store i64 %then, ptr %slot
  br label %end
end:
  %stop = phi i32 [ 1, %again ], [ 0, %0 ]
  ret i32 %stop
}

define internal i32 @data.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %own = mul i64 %number, 8
  %slot = getelementptr inbounds i8, ptr %memory, i64 %own
  %i = zext i32 %x to i64
  store i64 %i, ptr %slot
  ret i32 1
}

define internal i32 @data.thread.1(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %own = mul i64 %number, 8
  %slot = getelementptr inbounds i8, ptr %memory, i64 %own
  %k = load i64, ptr %slot
  %grid = load i32, ptr %block, !invariant.load !9
  %stride = zext i32 %grid to i64
  %read = load i32, ptr %io
  %place = getelementptr i32, ptr %io, i64 %k
  store i32 %x, ptr %place
  %then = add i64 %k, %stride
  %more = icmp ult i32 %read, %x
  br i1 %more, label %again, label %end
again:
  store i64 %then, ptr %slot
  br label %end
end:
  %stop = phi i32 [ 1, %again ], [ 0, %0 ]
  ret i32 %stop
}

define internal i32 @once.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %own = mul i64 %number, 8
  %slot = getelementptr inbounds i8, ptr %memory, i64 %own
  %i = zext i32 %x to i64
  store i64 %i, ptr %slot
  ret i32 1
}

define internal i32 @once.thread.1(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %own = mul i64 %number, 8
  %slot = getelementptr inbounds i8, ptr %memory, i64 %own
  %k = load i64, ptr %slot
  %grid = load i32, ptr %block, !invariant.load !9
  %stride = zext i32 %grid to i64
  %place = getelementptr i32, ptr %io, i64 %k
  store i32 %x, ptr %place
  %then = add i64 %k, %stride
  %more = icmp ult i64 %then, %n
  br i1 %more, label %again, label %end
again:
  store i64 %then, ptr %slot
  br label %end
end:
  %stop = phi i32 [ 0, %again ], [ 0, %0 ]
  ret i32 %stop
}

!offload.spmd.code = !{!0, !1, !2, !3, !4}
!0 = !{!"strided", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 8, i64 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @strided.thread.0, !{i64 1}, i1 false}, i1 true, !{}}, !{!{ptr @strided.thread.1, !{i64 0, i64 1}, i1 false}, i1 false, !{}}}, !{i64 16}, !{!{i64 0, i64 poison, !{!"certain", i64 1}}}, i64 0, null}}}
!1 = !{!"unknown", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 8, i64 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @unknown.thread.0, !{i64 1}, i1 false}, i1 true, !{}}, !{!{ptr @unknown.thread.1, !{i64 0, i64 1}, i1 false}, i1 false, !{}}}, !{i64 16}, !{!{i64 0, i64 poison, null}}, i64 0, null}}}
!2 = !{!"thread", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 8, i64 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @thread.thread.0, !{i64 1}, i1 false}, i1 true, !{}}, !{!{ptr @thread.thread.1, !{i64 0, i64 1}, i1 false}, i1 false, !{}}}, !{i64 16}, !{!{i64 0, i64 poison, !{!"certain", i64 1}}}, i64 0, null}}}
!3 = !{!"data", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 8, i64 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @data.thread.0, !{i64 1}, i1 false}, i1 true, !{}}, !{!{ptr @data.thread.1, !{i64 0, i64 1}, i1 false}, i1 false, !{}}}, !{i64 16}, !{!{i64 0, i64 poison, !{!"certain", i64 1}}}, i64 0, null}}}
!4 = !{!"once", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 8, i64 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @once.thread.0, !{i64 1}, i1 false}, i1 true, !{}}, !{!{ptr @once.thread.1, !{i64 0}, i1 false}, i1 false, !{}}}, !{i64 16}, !{!{i64 0, i64 poison, !{!"certain", i64 1}}}, i64 0, null}}}
!9 = !{}
;;; stdout
;
; define internal i32 @any(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   ret i32 0
; }
;
; define internal i32 @strided.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %own = mul i64 %number, 8
;   %slot = getelementptr inbounds i8, ptr %memory, i64 %own
;   %i = zext i32 %x to i64
;   store i64 %i, ptr %slot, align 4
;   ret i32 1
; }
;
; define internal i32 @strided.thread.1(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %own = mul i64 %number, 8
;   %slot = getelementptr inbounds i8, ptr %memory, i64 %own
;   %k = load i64, ptr %slot, align 4
;   %grid = load i32, ptr %block, align 4, !invariant.load !10
;   %stride = zext i32 %grid to i64
;   %place = getelementptr i32, ptr %io, i64 %k
;   store i32 %x, ptr %place, align 4
;   %then = add i64 %k, %stride
;   %more = icmp ult i64 %then, %n
;   br i1 %more, label %again, label %end
;
; again:                                            ; preds = %0
;   store i64 %then, ptr %slot, align 4
;   br label %end
;
; end:                                              ; preds = %again, %0
;   %stop = phi i32 [ 1, %again ], [ 0, %0 ]
;   ret i32 %stop
; }
;
; define internal i32 @unknown.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %own = mul i64 %number, 8
;   %slot = getelementptr inbounds i8, ptr %memory, i64 %own
;   %i = zext i32 %x to i64
;   store i64 %i, ptr %slot, align 4
;   ret i32 1
; }
;
; define internal i32 @unknown.thread.1(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %own = mul i64 %number, 8
;   %slot = getelementptr inbounds i8, ptr %memory, i64 %own
;   %k = load i64, ptr %slot, align 4
;   %grid = load i32, ptr %block, align 4, !invariant.load !10
;   %stride = zext i32 %grid to i64
;   %place = getelementptr i32, ptr %io, i64 %k
;   store i32 %x, ptr %place, align 4
;   %then = add i64 %k, %stride
;   %more = icmp ult i64 %then, %n
;   br i1 %more, label %again, label %end
;
; again:                                            ; preds = %0
;   store i64 %then, ptr %slot, align 4
;   br label %end
;
; end:                                              ; preds = %again, %0
;   %stop = phi i32 [ 1, %again ], [ 0, %0 ]
;   ret i32 %stop
; }
;
; define internal i32 @thread.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %own = mul i64 %number, 8
;   %slot = getelementptr inbounds i8, ptr %memory, i64 %own
;   %i = zext i32 %x to i64
;   store i64 %i, ptr %slot, align 4
;   ret i32 1
; }
;
; define internal i32 @thread.thread.1(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %own = mul i64 %number, 8
;   %slot = getelementptr inbounds i8, ptr %memory, i64 %own
;   %k = load i64, ptr %slot, align 4
;   %grid = load i32, ptr %block, align 4, !invariant.load !10
;   %stride = zext i32 %grid to i64
;   %j = zext i32 %x to i64
;   %place = getelementptr i32, ptr %io, i64 %k
;   store i32 %x, ptr %place, align 4
;   %then = add i64 %k, %j
;   %more = icmp ult i64 %then, %n
;   br i1 %more, label %again, label %end
;
; again:                                            ; preds = %0
;   store i64 %then, ptr %slot, align 4
;   br label %end
;
; end:                                              ; preds = %again, %0
;   %stop = phi i32 [ 1, %again ], [ 0, %0 ]
;   ret i32 %stop
; }
;
; define internal i32 @data.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %own = mul i64 %number, 8
;   %slot = getelementptr inbounds i8, ptr %memory, i64 %own
;   %i = zext i32 %x to i64
;   store i64 %i, ptr %slot, align 4
;   ret i32 1
; }
;
; define internal i32 @data.thread.1(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %own = mul i64 %number, 8
;   %slot = getelementptr inbounds i8, ptr %memory, i64 %own
;   %k = load i64, ptr %slot, align 4
;   %grid = load i32, ptr %block, align 4, !invariant.load !10
;   %stride = zext i32 %grid to i64
;   %read = load i32, ptr %io, align 4
;   %place = getelementptr i32, ptr %io, i64 %k
;   store i32 %x, ptr %place, align 4
;   %then = add i64 %k, %stride
;   %more = icmp ult i32 %read, %x
;   br i1 %more, label %again, label %end
;
; again:                                            ; preds = %0
;   store i64 %then, ptr %slot, align 4
;   br label %end
;
; end:                                              ; preds = %again, %0
;   %stop = phi i32 [ 1, %again ], [ 0, %0 ]
;   ret i32 %stop
; }
;
; define internal i32 @once.thread.0(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %own = mul i64 %number, 8
;   %slot = getelementptr inbounds i8, ptr %memory, i64 %own
;   %i = zext i32 %x to i64
;   store i64 %i, ptr %slot, align 4
;   ret i32 1
; }
;
; define internal i32 @once.thread.1(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %own = mul i64 %number, 8
;   %slot = getelementptr inbounds i8, ptr %memory, i64 %own
;   %k = load i64, ptr %slot, align 4
;   %grid = load i32, ptr %block, align 4, !invariant.load !10
;   %stride = zext i32 %grid to i64
;   %place = getelementptr i32, ptr %io, i64 %k
;   store i32 %x, ptr %place, align 4
;   %then = add i64 %k, %stride
;   %more = icmp ult i64 %then, %n
;   br i1 %more, label %again, label %end
;
; again:                                            ; preds = %0
;   store i64 %then, ptr %slot, align 4
;   br label %end
;
; end:                                              ; preds = %again, %0
;   %stop = phi i32 [ 0, %again ], [ 0, %0 ]
;   ret i32 %stop
; }
;
; define internal i32 @strided.thread.1.iteration.fast(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region, i64 %0) {
; prologue:
;   %1 = add i64 %0, %number
;   %2 = mul i64 %number, 8
;   %3 = getelementptr inbounds i8, ptr %memory, i64 %2
;   %4 = load i32, ptr %block, align 4, !invariant.load !10
;   %5 = zext i32 %4 to i64
;   %6 = getelementptr i32, ptr %io, i64 %1
;   %7 = add i64 %1, %5
;   %8 = icmp ult i64 %7, %n
;   br label %9
;
; 9:                                                ; preds = %prologue
;   store i32 %x, ptr %6, align 4
;   br i1 true, label %again, label %left
;
; again:                                            ; preds = %9
;   br label %end
;
; end:                                              ; preds = %again
;   ret i32 1
;
; left:                                             ; preds = %9
;   unreachable
; }
;
; define internal i1 @strided.thread.1.iteration.whole(ptr %0, i64 %1, ptr %2, i32 %3, i32 %4, i32 %5, ptr %6, i64 %7, i64 %8, i32 %9, i64 %10) {
; entry:
;   %11 = getelementptr inbounds i8, ptr %2, i64 12
;   %12 = load i32, ptr %11, align 4, !invariant.load !10
;   %13 = getelementptr inbounds i8, ptr %2, i64 16
;   %14 = load i32, ptr %13, align 4, !invariant.load !10
;   %15 = getelementptr inbounds i8, ptr %2, i64 20
;   %16 = load i32, ptr %15, align 4, !invariant.load !10
;   %17 = sub i32 %12, 1
;   %18 = sub i32 %14, 1
;   %19 = sub i32 %16, 1
;   %20 = zext i32 %12 to i64
;   %21 = zext i32 %14 to i64
;   %22 = zext i32 %16 to i64
;   %23 = mul i64 %20, %21
;   %24 = mul i64 %23, %22
;   %25 = sub i64 %24, 1
;   %26 = load i32, ptr %2, align 4, !invariant.load !10
;   %27 = zext i32 %26 to i64
;   %28 = add i64 %10, %25
;   %29 = icmp uge i64 %28, %10
;   %30 = add i64 %10, 0
;   %31 = add i64 %28, %27
;   %32 = icmp uge i64 %31, %28
;   %33 = add i64 %30, %27
;   %34 = icmp ult i64 %31, %1
;   %35 = and i1 %29, %32
;   %36 = and i1 %35, %34
;   ret i1 %36
; }
;
; define internal i64 @strided.thread.1.iteration.next(ptr %io, i64 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region, i64 %0) {
; prologue:
;   %1 = add i64 %0, %number
;   %2 = mul i64 %number, 8
;   %3 = getelementptr inbounds i8, ptr %memory, i64 %2
;   %4 = load i32, ptr %block, align 4, !invariant.load !10
;   %5 = zext i32 %4 to i64
;   %6 = getelementptr i32, ptr %io, i64 %1
;   %7 = add i64 %1, %5
;   %8 = icmp ult i64 %7, %n
;   ret i64 %7
; }
;
; !offload.spmd.code = !{!0, !21, !31, !39, !47}
;
; !0 = !{!"strided", !1, i64 16, i64 8, !4}
; !1 = !{!2, !3}
; !2 = !{i64 0, i64 8, ptr poison}
; !3 = !{i64 8, i64 8, i64 poison}
; !4 = !{!"several", !5}
; !5 = !{ptr @any, !6, !19, !20, i64 0, null}
; !6 = !{!7, !11}
; !7 = !{!8, i1 true, !10}
; !8 = !{ptr @strided.thread.0, !9, i1 false}
; !9 = !{i64 1}
; !10 = !{}
; !11 = !{!12, i1 false, !10}
; !12 = !{!"iteration", !13, !16, !18}
; !13 = !{!14, ptr @strided.thread.1.iteration.whole, ptr @strided.thread.1.iteration.next, null}
; !14 = !{i64 0, i64 poison, !15}
; !15 = !{!"certain", i64 1}
; !16 = !{ptr @strided.thread.1.iteration.fast, !17, i1 false}
; !17 = !{i64 0, i64 1}
; !18 = !{ptr @strided.thread.1, !17, i1 false}
; !19 = !{i64 16}
; !20 = !{!14}
; !21 = !{!"unknown", !1, i64 16, i64 8, !22}
; !22 = !{!"several", !23}
; !23 = !{ptr @any, !24, !19, !29, i64 0, null}
; !24 = !{!25, !27}
; !25 = !{!26, i1 true, !10}
; !26 = !{ptr @unknown.thread.0, !9, i1 false}
; !27 = !{!28, i1 false, !10}
; !28 = !{ptr @unknown.thread.1, !17, i1 false}
; !29 = !{!30}
; !30 = !{i64 0, i64 poison, null}
; !31 = !{!"thread", !1, i64 16, i64 8, !32}
; !32 = !{!"several", !33}
; !33 = !{ptr @any, !34, !19, !20, i64 0, null}
; !34 = !{!35, !37}
; !35 = !{!36, i1 true, !10}
; !36 = !{ptr @thread.thread.0, !9, i1 false}
; !37 = !{!38, i1 false, !10}
; !38 = !{ptr @thread.thread.1, !17, i1 false}
; !39 = !{!"data", !1, i64 16, i64 8, !40}
; !40 = !{!"several", !41}
; !41 = !{ptr @any, !42, !19, !20, i64 0, null}
; !42 = !{!43, !45}
; !43 = !{!44, i1 true, !10}
; !44 = !{ptr @data.thread.0, !9, i1 false}
; !45 = !{!46, i1 false, !10}
; !46 = !{ptr @data.thread.1, !17, i1 false}
; !47 = !{!"once", !1, i64 16, i64 8, !48}
; !48 = !{!"several", !49}
; !49 = !{ptr @any, !50, !19, !20, i64 0, null}
; !50 = !{!51, !53}
; !51 = !{!52, i1 true, !10}
; !52 = !{ptr @once.thread.0, !9, i1 false}
; !53 = !{!54, i1 false, !10}
; !54 = !{ptr @once.thread.1, !55, i1 false}
; !55 = !{i64 0}
