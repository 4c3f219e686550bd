; A comparison of x is decided for a range of the threads of a row: in one version it has its usual result, and
; functions return the range, and whether it is the whole block. Where no condition depends on x, or one compares a
; loaded value or a multiple of x, there is no such version.
; RUN: offloadc %s --run-pass=split_row_ranges --offload-arch=cpu | grep -v "^target"

define internal void @bounded.thread(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
  %in = icmp ult i32 %x, %n
  br i1 %in, label %there, label %end
there:
  %place = getelementptr i32, ptr %io, i32 %x
  store i32 %y, ptr %place
  br label %end
end:
  ret void
}

define internal void @uniform.thread(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
  %in = icmp ult i32 %y, %n
  br i1 %in, label %there, label %end
there:
  %place = getelementptr i32, ptr %io, i32 %x
  store i32 %y, ptr %place
  br label %end
end:
  ret void
}

define internal void @loaded.thread(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
  %own = getelementptr i32, ptr %io, i32 %x
  %read = load i32, ptr %own
  %in = icmp ult i32 %read, %n
  br i1 %in, label %there, label %end
there:
  %place = getelementptr i32, ptr %io, i32 %x
  store i32 %y, ptr %place
  br label %end
end:
  ret void
}

define internal void @scaled.thread(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
  %twice = mul i32 %x, 3
  %in = icmp ult i32 %twice, %n
  br i1 %in, label %there, label %end
there:
  %place = getelementptr i32, ptr %io, i32 %x
  store i32 %y, ptr %place
  br label %end
end:
  ret void
}

!offload.spmd.code = !{!0, !1, !2, !3}
!0 = !{!"bounded", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"one", !{ptr @bounded.thread, !{}, i1 false}}}
!1 = !{!"uniform", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"one", !{ptr @uniform.thread, !{}, i1 false}}}
!2 = !{!"loaded", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"one", !{ptr @loaded.thread, !{}, i1 false}}}
!3 = !{!"scaled", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"one", !{ptr @scaled.thread, !{}, i1 false}}}
;;; stdout
;
; define internal void @bounded.thread(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
; prologue:
;   %0 = icmp ult i32 %x, %n
;   %1 = getelementptr i32, ptr %io, i32 %x
;   br i1 %0, label %there, label %end
;
; there:                                            ; preds = %prologue
;   store i32 %y, ptr %1, align 4
;   br label %end
;
; end:                                              ; preds = %there, %prologue
;   ret void
; }
;
; define internal void @uniform.thread(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
; prologue:
;   %0 = icmp ult i32 %y, %n
;   %1 = getelementptr i32, ptr %io, i32 %x
;   br i1 %0, label %there, label %end
;
; there:                                            ; preds = %prologue
;   store i32 %y, ptr %1, align 4
;   br label %end
;
; end:                                              ; preds = %there, %prologue
;   ret void
; }
;
; define internal void @loaded.thread(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
; prologue:
;   %0 = getelementptr i32, ptr %io, i32 %x
;   %read = load i32, ptr %0, align 4
;   %in = icmp ult i32 %read, %n
;   br i1 %in, label %there, label %end
;
; there:                                            ; preds = %prologue
;   store i32 %y, ptr %0, align 4
;   br label %end
;
; end:                                              ; preds = %there, %prologue
;   ret void
; }
;
; define internal void @scaled.thread(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
; prologue:
;   %0 = mul i32 %x, 3
;   %1 = icmp ult i32 %0, %n
;   %2 = getelementptr i32, ptr %io, i32 %x
;   br i1 %1, label %there, label %end
;
; there:                                            ; preds = %prologue
;   store i32 %y, ptr %2, align 4
;   br label %end
;
; end:                                              ; preds = %there, %prologue
;   ret void
; }
;
; define internal void @bounded.thread.fast(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z) {
; prologue:
;   %0 = getelementptr i32, ptr %io, i32 %x
;   store i32 %y, ptr %0, align 4
;   ret void
; }
;
; define internal i64 @bounded.thread.range(ptr %0, i32 %1, ptr %2, i32 %3, i32 %4, i32 %5) {
; entry:
;   %6 = getelementptr inbounds i8, ptr %2, i64 12
;   %7 = load i32, ptr %6, align 4, !invariant.load !8
;   %last = sub i32 %7, 1
;   %8 = icmp ne i32 %last, 0
;   %9 = icmp ult i32 %last, %1
;   %10 = and i1 %8, %9
;   br i1 %10, label %whole, label %part
;
; common.ret:                                       ; preds = %part, %whole
;   %common.ret.op = phi i64 [ %12, %whole ], [ %24, %part ]
;   ret i64 %common.ret.op
;
; whole:                                            ; preds = %entry
;   %11 = zext i32 %7 to i64
;   %12 = shl i64 %11, 32
;   br label %common.ret
;
; part:                                             ; preds = %entry
;   %13 = icmp ult i32 0, %1
;   %14 = select i1 %9, i32 %7, i32 %1
;   %15 = select i1 %13, i32 %14, i32 0
;   %16 = select i1 %8, i32 %15, i32 0
;   %17 = icmp ult i32 %16, %7
;   %18 = select i1 %17, i32 %16, i32 %7
;   %19 = icmp ult i32 0, %18
;   %20 = select i1 %19, i32 0, i32 %18
;   %21 = zext i32 %18 to i64
;   %22 = shl i64 %21, 32
;   %23 = zext i32 %20 to i64
;   %24 = or i64 %22, %23
;   br label %common.ret
; }
;
; define internal i1 @bounded.thread.whole(ptr %0, i32 %1, ptr %2, i32 %3, i32 %4, i32 %5) {
; entry:
;   %6 = getelementptr inbounds i8, ptr %2, i64 12
;   %7 = load i32, ptr %6, align 4, !invariant.load !8
;   %8 = getelementptr inbounds i8, ptr %2, i64 16
;   %9 = load i32, ptr %8, align 4, !invariant.load !8
;   %10 = getelementptr inbounds i8, ptr %2, i64 20
;   %11 = load i32, ptr %10, align 4, !invariant.load !8
;   %12 = sub i32 %7, 1
;   %13 = icmp ult i32 %12, %1
;   ret i1 %13
; }
;
; !offload.spmd.code = !{!0, !10, !13, !16}
;
; !0 = !{!"bounded", !1, i64 16, i64 8, !4}
; !1 = !{!2, !3}
; !2 = !{i64 0, i64 8, ptr poison}
; !3 = !{i64 8, i64 4, i32 poison}
; !4 = !{!"one", !5}
; !5 = !{!"row", !6, !7, !9}
; !6 = !{ptr @bounded.thread.range, ptr @bounded.thread.whole, null, i1 true}
; !7 = !{ptr @bounded.thread.fast, !8, i1 false}
; !8 = !{}
; !9 = !{ptr @bounded.thread, !8, i1 false}
; !10 = !{!"uniform", !1, i64 16, i64 8, !11}
; !11 = !{!"one", !12}
; !12 = !{ptr @uniform.thread, !8, i1 false}
; !13 = !{!"loaded", !1, i64 16, i64 8, !14}
; !14 = !{!"one", !15}
; !15 = !{ptr @loaded.thread, !8, i1 false}
; !16 = !{!"scaled", !1, i64 16, i64 8, !17}
; !17 = !{!"one", !18}
; !18 = !{ptr @scaled.thread, !8, i1 false}
