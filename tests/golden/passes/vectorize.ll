; Code whose threads take the same branches has a version for eight threads of a row. There is none where no value differs between
; threads, where a thread may wait for another one, and where neighbours access scattered elements. Straight code for the threads of
; a row is left to LLVM, and the code of threads that leave at once is left alone.
; RUN: offloadc %s --run-pass=vectorize --offload-arch=cpu | grep -v "^target"

define internal i32 @any(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  ret i32 0
}

define internal void @halves.thread(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
  %i = zext i32 %x to i64
  %place = getelementptr float, ptr %io, i64 %i
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %loop ]
  %value = load float, ptr %place
  %half = fmul float %value, 0.5
  store float %half, ptr %place
  %next = add i32 %k, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

define internal void @uniform.thread(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
  %i = zext i32 %n to i64
  %place = getelementptr float, ptr %io, i64 %i
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %loop ]
  %value = load float, ptr %place
  %half = fadd float %value, 0.5
  store float %half, ptr %place
  %next = add i32 %k, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}

define internal void @waits.thread(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
  %place = getelementptr i32, ptr %io, i32 %n
  br label %loop
loop:
  %pair = cmpxchg ptr %place, i32 0, i32 %x monotonic monotonic
  %has = extractvalue { i32, i1 } %pair, 1
  br i1 %has, label %end, label %loop
end:
  ret void
}

define internal void @straight.thread(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
  %in = icmp ult i32 %x, %n
  br i1 %in, label %store, label %end
store:
  %place = getelementptr i32, ptr %io, i32 %x
  store i32 %y, ptr %place
  br label %end
end:
  ret void
}

define internal void @straight.thread.fast(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
  %place = getelementptr i32, ptr %io, i32 %x
  store i32 %y, ptr %place
  ret void
}

define internal i64 @straight.thread.range(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
  %dim = zext i32 %n to i64
  %range = shl i64 %dim, 32
  ret i64 %range
}

define internal i32 @scattered.thread.0(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %i = zext i32 %x to i64
  %place = getelementptr float, ptr %io, i64 %i
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %next, %loop ]
  %value = load float, ptr %place
  %half = fmul float %value, 0.5
  store float %half, ptr %place
  %next = add i32 %k, 1
  %again = icmp ult i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret i32 0
}

!offload.spmd.code = !{!0, !1, !2, !3, !4}
!0 = !{!"halves", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"one", !{ptr @halves.thread, !{}, i1 false}}}
!1 = !{!"uniform", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"one", !{ptr @uniform.thread, !{}, i1 false}}}
!2 = !{!"waits", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"one", !{ptr @waits.thread, !{}, i1 false}}}
!3 = !{!"straight", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"one", !{!"row", !{ptr @straight.thread.range, null, null, i1 true}, !{ptr @straight.thread.fast, !{}, i1 false}, !{ptr @straight.thread, !{}, i1 false}}}}
!4 = !{!"scattered", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @scattered.thread.0, !{i64 0}, i1 true}, i1 true, !{}}}, !{i64 16}, !{}, i64 1, null}}}
;;; stdout
;
; define internal i32 @any(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   ret i32 0
; }
;
; define internal void @halves.thread(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
;   %i = zext i32 %x to i64
;   %place = getelementptr float, ptr %io, i64 %i
;   br label %loop
;
; loop:                                             ; preds = %loop, %0
;   %k = phi i32 [ 0, %0 ], [ %next, %loop ]
;   %value = load float, ptr %place, align 4
;   %half = fmul float %value, 5.000000e-01
;   store float %half, ptr %place, align 4
;   %next = add i32 %k, 1
;   %again = icmp ult i32 %next, %n
;   br i1 %again, label %loop, label %end
;
; end:                                              ; preds = %loop
;   ret void
; }
;
; define internal void @uniform.thread(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
;   %i = zext i32 %n to i64
;   %place = getelementptr float, ptr %io, i64 %i
;   br label %loop
;
; loop:                                             ; preds = %loop, %0
;   %k = phi i32 [ 0, %0 ], [ %next, %loop ]
;   %value = load float, ptr %place, align 4
;   %half = fadd float %value, 5.000000e-01
;   store float %half, ptr %place, align 4
;   %next = add i32 %k, 1
;   %again = icmp ult i32 %next, %n
;   br i1 %again, label %loop, label %end
;
; end:                                              ; preds = %loop
;   ret void
; }
;
; define internal void @waits.thread(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
;   %place = getelementptr i32, ptr %io, i32 %n
;   br label %loop
;
; loop:                                             ; preds = %loop, %0
;   %pair = cmpxchg ptr %place, i32 0, i32 %x monotonic monotonic, align 4
;   %has = extractvalue { i32, i1 } %pair, 1
;   br i1 %has, label %end, label %loop
;
; end:                                              ; preds = %loop
;   ret void
; }
;
; define internal void @straight.thread(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
;   %in = icmp ult i32 %x, %n
;   br i1 %in, label %store, label %end
;
; store:                                            ; preds = %0
;   %place = getelementptr i32, ptr %io, i32 %x
;   store i32 %y, ptr %place, align 4
;   br label %end
;
; end:                                              ; preds = %store, %0
;   ret void
; }
;
; define internal void @straight.thread.fast(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
;   %place = getelementptr i32, ptr %io, i32 %x
;   store i32 %y, ptr %place, align 4
;   ret void
; }
;
; define internal i64 @straight.thread.range(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
;   %dim = zext i32 %n to i64
;   %range = shl i64 %dim, 32
;   ret i64 %range
; }
;
; define internal i32 @scattered.thread.0(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %i = zext i32 %x to i64
;   %place = getelementptr float, ptr %io, i64 %i
;   br label %loop
;
; loop:                                             ; preds = %loop, %0
;   %k = phi i32 [ 0, %0 ], [ %next, %loop ]
;   %value = load float, ptr %place, align 4
;   %half = fmul float %value, 5.000000e-01
;   store float %half, ptr %place, align 4
;   %next = add i32 %k, 1
;   %again = icmp ult i32 %next, %n
;   br i1 %again, label %loop, label %end
;
; end:                                              ; preds = %loop
;   ret i32 0
; }
;
; define internal void @halves.thread.vector(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
; vector:
;   %0 = alloca ptr, align 8
;   %1 = alloca i32, align 4
;   %2 = alloca i32, align 4
;   br label %.vector
;
; .vector:                                          ; preds = %vector
;   %3 = zext i32 %x to i64
;   %4 = getelementptr float, ptr %io, i64 %3
;   store ptr %4, ptr %0, align 8
;   store i32 0, ptr %1, align 4
;   br label %loop.vector
;
; loop.vector:                                      ; preds = %loop.vector, %.vector
;   %5 = load i32, ptr %1, align 4
;   %6 = load ptr, ptr %0, align 8
;   %7 = load <8 x float>, ptr %6, align 4
;   %8 = fmul <8 x float> %7, splat (float 5.000000e-01)
;   store <8 x float> %8, ptr %6, align 4
;   %9 = add i32 %5, 1
;   store i32 %9, ptr %2, align 4
;   %10 = icmp ult i32 %9, %n
;   store i32 %9, ptr %1, align 4
;   br i1 %10, label %loop.vector, label %end.vector
;
; end.vector:                                       ; preds = %loop.vector
;   ret void
; }
;
; !offload.spmd.code = !{!0, !9, !12, !15, !21}
;
; !0 = !{!"halves", !1, i64 16, i64 8, !4}
; !1 = !{!2, !3}
; !2 = !{i64 0, i64 8, ptr poison}
; !3 = !{i64 8, i64 4, i32 poison}
; !4 = !{!"one", !5}
; !5 = !{!"group", i64 8, !6, !8}
; !6 = !{ptr @halves.thread.vector, !7, i1 false}
; !7 = !{}
; !8 = !{ptr @halves.thread, !7, i1 false}
; !9 = !{!"uniform", !1, i64 16, i64 8, !10}
; !10 = !{!"one", !11}
; !11 = !{ptr @uniform.thread, !7, i1 false}
; !12 = !{!"waits", !1, i64 16, i64 8, !13}
; !13 = !{!"one", !14}
; !14 = !{ptr @waits.thread, !7, i1 false}
; !15 = !{!"straight", !1, i64 16, i64 8, !16}
; !16 = !{!"one", !17}
; !17 = !{!"row", !18, !19, !20}
; !18 = !{ptr @straight.thread.range, null, null, i1 true}
; !19 = !{ptr @straight.thread.fast, !7, i1 false}
; !20 = !{ptr @straight.thread, !7, i1 false}
; !21 = !{!"scattered", !1, i64 16, i64 8, !22}
; !22 = !{!"several", !23}
; !23 = !{ptr @any, !24, !28, !7, i64 1, null}
; !24 = !{!25}
; !25 = !{!26, i1 true, !7}
; !26 = !{ptr @scattered.thread.0, !27, i1 true}
; !27 = !{i64 0}
; !28 = !{i64 16}
