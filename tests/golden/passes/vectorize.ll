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
!0 = !{!"halves", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"one", ptr @halves.thread, !{null, null, null}}}
!1 = !{!"uniform", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"one", ptr @uniform.thread, !{null, null, null}}}
!2 = !{!"waits", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"one", ptr @waits.thread, !{null, null, null}}}
!3 = !{!"straight", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"one", ptr @straight.thread, !{!{ptr @straight.thread.fast, ptr @straight.thread.range, null, null, i1 true}, null, null}}}
!4 = !{!"scattered", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{ptr @scattered.thread.0, !{i64 0}, i1 true, !{}, !{null, null, null}, null, i1 true, null, null}}, !{i64 16}, !{}, i64 1, null}}}
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
; define internal void @halves.thread.together(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
; together:
;   %0 = alloca ptr, align 8
;   %1 = alloca i32, align 4
;   %2 = alloca i32, align 4
;   br label %.together
;
; .together:                                        ; preds = %together
;   %3 = zext i32 %x to i64
;   %4 = getelementptr float, ptr %io, i64 %3
;   store ptr %4, ptr %0, align 8
;   store i32 0, ptr %1, align 4
;   br label %loop.together
;
; loop.together:                                    ; preds = %loop.together, %.together
;   %5 = load i32, ptr %1, align 4
;   %6 = load ptr, ptr %0, align 8
;   %7 = load <8 x float>, ptr %6, align 4
;   %8 = fmul <8 x float> %7, splat (float 5.000000e-01)
;   store <8 x float> %8, ptr %6, align 4
;   %9 = add i32 %5, 1
;   store i32 %9, ptr %2, align 4
;   %10 = icmp ult i32 %9, %n
;   store i32 %9, ptr %1, align 4
;   br i1 %10, label %loop.together, label %end.together
;
; end.together:                                     ; preds = %loop.together
;   ret void
; }
;
; !offload.spmd.code = !{!0, !7, !10, !12, !16}
;
; !0 = !{!"halves", !1, i64 16, i64 8, !4}
; !1 = !{!2, !3}
; !2 = !{i64 0, i64 8, ptr poison}
; !3 = !{i64 8, i64 4, i32 poison}
; !4 = !{!"one", ptr @halves.thread, !5}
; !5 = !{null, null, !6}
; !6 = !{ptr @halves.thread.together, i64 8}
; !7 = !{!"uniform", !1, i64 16, i64 8, !8}
; !8 = !{!"one", ptr @uniform.thread, !9}
; !9 = !{null, null, null}
; !10 = !{!"waits", !1, i64 16, i64 8, !11}
; !11 = !{!"one", ptr @waits.thread, !9}
; !12 = !{!"straight", !1, i64 16, i64 8, !13}
; !13 = !{!"one", ptr @straight.thread, !14}
; !14 = !{!15, null, null}
; !15 = !{ptr @straight.thread.fast, ptr @straight.thread.range, null, null, i1 true}
; !16 = !{!"scattered", !1, i64 16, i64 8, !17}
; !17 = !{!"several", !18}
; !18 = !{ptr @any, !19, !23, !22, i64 1, null}
; !19 = !{!20}
; !20 = !{ptr @scattered.thread.0, !21, i1 true, !22, !9, null, i1 true, null, null}
; !21 = !{i64 0}
; !22 = !{}
; !23 = !{i64 16}
