; A region loads a value from its slot once, and stores it once at its end if it has changed it. A store in a region
; where the thread ends is not needed. A slot whose address is passed on stays in memory, and so does one with accesses
; of another type.
; RUN: offloadc %s --run-pass=promote_slots --offload-arch=cpu | grep -v "^target"

declare void @use(ptr)

define internal i32 @any(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  ret i32 0
}

define internal i32 @k.thread.0(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %own = mul i64 %number, 4
  %first = getelementptr inbounds i8, ptr %memory, i64 %own
  %from.second = mul i64 %threads, 4
  %start.second = getelementptr inbounds i8, ptr %memory, i64 %from.second
  %second = getelementptr inbounds i8, ptr %start.second, i64 %own
  %from.third = mul i64 %threads, 8
  %start.third = getelementptr inbounds i8, ptr %memory, i64 %from.third
  %third = getelementptr inbounds i8, ptr %start.third, i64 %own
  %a = load i32, ptr %first
  store i32 %a, ptr %io
  %b = load i32, ptr %first
  %sum = add i32 %a, %b
  store i32 %sum, ptr %first
  call void @use(ptr %second)
  %c = load i32, ptr %second
  store i32 %c, ptr %io
  %d = load float, ptr %third
  store float %d, ptr %io
  %e = load i32, ptr %third
  %ends = icmp eq i32 %e, %x
  br i1 %ends, label %end, label %stop
end:
  ret i32 0
stop:
  ret i32 1
}

!offload.spmd.code = !{!0}
!0 = !{!"k", !{!{i64 0, i64 8, ptr poison}}, i64 8, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @k.thread.0, !{i64 0, i64 1}, i1 false}, i1 false, !{}}}, !{i64 16}, !{!{i64 0, i32 poison, null}, !{i64 4, i32 poison, null}, !{i64 8, i32 poison, null}}, i64 1, null}}}
;;; stdout
;
; declare void @use(ptr)
;
; define internal i32 @any(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   ret i32 0
; }
;
; define internal i32 @k.thread.0(ptr %io, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %own = mul i64 %number, 4
;   %first = getelementptr inbounds i8, ptr %memory, i64 %own
;   %1 = load i32, ptr %first, align 4
;   %from.second = mul i64 %threads, 4
;   %start.second = getelementptr inbounds i8, ptr %memory, i64 %from.second
;   %second = getelementptr inbounds i8, ptr %start.second, i64 %own
;   %from.third = mul i64 %threads, 8
;   %start.third = getelementptr inbounds i8, ptr %memory, i64 %from.third
;   %third = getelementptr inbounds i8, ptr %start.third, i64 %own
;   store i32 %1, ptr %io, align 4
;   %sum = add i32 %1, %1
;   call void @use(ptr %second)
;   %c = load i32, ptr %second, align 4
;   store i32 %c, ptr %io, align 4
;   %d = load float, ptr %third, align 4
;   store float %d, ptr %io, align 4
;   %e = load i32, ptr %third, align 4
;   %ends = icmp eq i32 %e, %x
;   br i1 %ends, label %common.ret, label %stop
;
; common.ret:                                       ; preds = %0, %stop
;   %common.ret.op = phi i32 [ 1, %stop ], [ 0, %0 ]
;   ret i32 %common.ret.op
;
; stop:                                             ; preds = %0
;   store i32 %sum, ptr %first, align 4
;   br label %common.ret
; }
;
; !offload.spmd.code = !{!0}
;
; !0 = !{!"k", !1, i64 8, i64 8, !3}
; !1 = !{!2}
; !2 = !{i64 0, i64 8, ptr poison}
; !3 = !{!"several", !4}
; !4 = !{ptr @any, !5, !10, !11, i64 1, null}
; !5 = !{!6}
; !6 = !{!7, i1 false, !9}
; !7 = !{ptr @k.thread.0, !8, i1 false}
; !8 = !{i64 0, i64 1}
; !9 = !{}
; !10 = !{i64 16}
; !11 = !{!12, !13, !14}
; !12 = !{i64 0, i32 poison, null}
; !13 = !{i64 4, i32 poison, null}
; !14 = !{i64 8, i32 poison, null}
