; A region that begins with a branch which all threads of the block take becomes two, each with the stops that it leads
; to, and a function decides for the block. A store of a value that was loaded from the same slot is dropped. A branch
; that depends on the thread stays, and so does one after a load of memory, one before a panic, and one in a region with
; one end, or whose threads may stop at different places.
; RUN: offloadc %s --run-pass=version_uniform_branches --offload-arch=cpu | grep -v "^target"

define internal i32 @any(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  ret i32 0
}

define internal i32 @uniform.thread.0(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %own = mul i64 %number, 4
  %slot = getelementptr inbounds i8, ptr %memory, i64 %own
  %kept = load i32, ptr %slot
  %again = icmp ult i32 %n, 8
  br i1 %again, label %next, label %last
next:
  store i32 %kept, ptr %io
  store i32 %kept, ptr %slot
  ret i32 1
last:
  store i32 2, ptr %io
  ret i32 0
}

define internal i32 @varying.thread.0(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %again = icmp ult i32 %x, %n
  br i1 %again, label %next, label %last
next:
  store i32 1, ptr %io
  ret i32 1
last:
  store i32 2, ptr %io
  ret i32 0
}

define internal i32 @loaded.thread.0(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %m = load i32, ptr %io
  %again = icmp ult i32 %m, %n
  br i1 %again, label %next, label %last
next:
  store i32 1, ptr %io
  ret i32 1
last:
  store i32 2, ptr %io
  ret i32 0
}

define internal i32 @stored.thread.0(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  store i32 %x, ptr %io
  %again = icmp ult i32 %n, 8
  br i1 %again, label %next, label %last
next:
  store i32 1, ptr %io
  ret i32 1
last:
  store i32 2, ptr %io
  ret i32 0
}

define internal i32 @panic.thread.0(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %again = icmp ult i32 %n, 8
  br i1 %again, label %next, label %last
next:
  unreachable
last:
  store i32 2, ptr %io
  ret i32 0
}

define internal i32 @single.thread.0(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %again = icmp ult i32 %n, 8
  br i1 %again, label %next, label %last
next:
  store i32 1, ptr %io
  ret i32 0
last:
  store i32 2, ptr %io
  ret i32 0
}

define internal i32 @apart.thread.0(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
  %again = icmp ult i32 %n, 8
  br i1 %again, label %next, label %last
next:
  store i32 1, ptr %io
  ret i32 1
last:
  store i32 2, ptr %io
  ret i32 0
}

!offload.spmd.code = !{!0, !1, !2, !3, !4, !5, !6}
!0 = !{!"uniform", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @uniform.thread.0, !{i64 0, i64 1}, i1 false}, i1 true, !{}}}, !{i64 16}, !{!{i64 0, i32 poison, null}}, i64 1, null}}}
!1 = !{!"varying", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @varying.thread.0, !{i64 0, i64 1}, i1 false}, i1 true, !{}}}, !{i64 16}, !{!{i64 0, i32 poison, null}}, i64 1, null}}}
!2 = !{!"loaded", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @loaded.thread.0, !{i64 0, i64 1}, i1 false}, i1 true, !{}}}, !{i64 16}, !{!{i64 0, i32 poison, null}}, i64 1, null}}}
!3 = !{!"stored", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @stored.thread.0, !{i64 0, i64 1}, i1 false}, i1 true, !{}}}, !{i64 16}, !{!{i64 0, i32 poison, null}}, i64 1, null}}}
!4 = !{!"panic", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @panic.thread.0, !{i64 0, i64 1}, i1 false}, i1 true, !{}}}, !{i64 16}, !{!{i64 0, i32 poison, null}}, i64 1, null}}}
!5 = !{!"single", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @single.thread.0, !{i64 0}, i1 false}, i1 true, !{}}}, !{i64 16}, !{!{i64 0, i32 poison, null}}, i64 1, null}}}
!6 = !{!"apart", !{!{i64 0, i64 8, ptr poison}, !{i64 8, i64 4, i32 poison}}, i64 16, i64 8, !{!"several", !{ptr @any, !{!{!{ptr @apart.thread.0, !{i64 0, i64 1}, i1 false}, i1 false, !{}}}, !{i64 16}, !{!{i64 0, i32 poison, null}}, i64 1, null}}}
;;; stdout
;
; define internal i32 @any(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   ret i32 0
; }
;
; define internal i32 @uniform.thread.0(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %own = mul i64 %number, 4
;   %slot = getelementptr inbounds i8, ptr %memory, i64 %own
;   %kept = load i32, ptr %slot, align 4
;   %again = icmp ult i32 %n, 8
;   br i1 %again, label %next, label %last
;
; common.ret:                                       ; preds = %last, %next
;   %common.ret.op = phi i32 [ 1, %next ], [ 0, %last ]
;   ret i32 %common.ret.op
;
; next:                                             ; preds = %0
;   store i32 %kept, ptr %io, align 4
;   store i32 %kept, ptr %slot, align 4
;   br label %common.ret
;
; last:                                             ; preds = %0
;   store i32 2, ptr %io, align 4
;   br label %common.ret
; }
;
; define internal i32 @varying.thread.0(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %again = icmp ult i32 %x, %n
;   br i1 %again, label %next, label %last
;
; common.ret:                                       ; preds = %last, %next
;   %common.ret.op = phi i32 [ 1, %next ], [ 0, %last ]
;   ret i32 %common.ret.op
;
; next:                                             ; preds = %0
;   store i32 1, ptr %io, align 4
;   br label %common.ret
;
; last:                                             ; preds = %0
;   store i32 2, ptr %io, align 4
;   br label %common.ret
; }
;
; define internal i32 @loaded.thread.0(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %m = load i32, ptr %io, align 4
;   %again = icmp ult i32 %m, %n
;   br i1 %again, label %next, label %last
;
; common.ret:                                       ; preds = %last, %next
;   %common.ret.op = phi i32 [ 1, %next ], [ 0, %last ]
;   ret i32 %common.ret.op
;
; next:                                             ; preds = %0
;   store i32 1, ptr %io, align 4
;   br label %common.ret
;
; last:                                             ; preds = %0
;   store i32 2, ptr %io, align 4
;   br label %common.ret
; }
;
; define internal i32 @stored.thread.0(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   store i32 %x, ptr %io, align 4
;   %again = icmp ult i32 %n, 8
;   br i1 %again, label %next, label %last
;
; common.ret:                                       ; preds = %last, %next
;   %common.ret.op = phi i32 [ 1, %next ], [ 0, %last ]
;   ret i32 %common.ret.op
;
; next:                                             ; preds = %0
;   store i32 1, ptr %io, align 4
;   br label %common.ret
;
; last:                                             ; preds = %0
;   store i32 2, ptr %io, align 4
;   br label %common.ret
; }
;
; define internal i32 @panic.thread.0(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
; last:
;   %again = icmp ult i32 %n, 8
;   %0 = xor i1 %again, true
;   call void @llvm.assume(i1 %0)
;   store i32 2, ptr %io, align 4
;   ret i32 0
; }
;
; define internal i32 @single.thread.0(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %again = icmp ult i32 %n, 8
;   br i1 %again, label %next, label %last
;
; common.ret:                                       ; preds = %last, %next
;   ret i32 0
;
; next:                                             ; preds = %0
;   store i32 1, ptr %io, align 4
;   br label %common.ret
;
; last:                                             ; preds = %0
;   store i32 2, ptr %io, align 4
;   br label %common.ret
; }
;
; define internal i32 @apart.thread.0(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %again = icmp ult i32 %n, 8
;   br i1 %again, label %next, label %last
;
; common.ret:                                       ; preds = %last, %next
;   %common.ret.op = phi i32 [ 1, %next ], [ 0, %last ]
;   ret i32 %common.ret.op
;
; next:                                             ; preds = %0
;   store i32 1, ptr %io, align 4
;   br label %common.ret
;
; last:                                             ; preds = %0
;   store i32 2, ptr %io, align 4
;   br label %common.ret
; }
;
; define internal i32 @uniform.thread.0.then(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
; next:
;   %own = mul i64 %number, 4
;   %slot = getelementptr inbounds i8, ptr %memory, i64 %own
;   %kept = load i32, ptr %slot, align 4
;   %again = icmp ult i32 %n, 8
;   store i32 %kept, ptr %io, align 4
;   ret i32 1
; }
;
; define internal i32 @uniform.thread.0.else(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
; last:
;   %own = mul i64 %number, 4
;   %slot = getelementptr inbounds i8, ptr %memory, i64 %own
;   %kept = load i32, ptr %slot, align 4
;   %again = icmp ult i32 %n, 8
;   store i32 2, ptr %io, align 4
;   ret i32 0
; }
;
; define internal i1 @uniform.thread.0.decide(ptr %io, i32 %n, ptr %block, i32 %x, i32 %y, i32 %z, ptr %memory, i64 %threads, i64 %number, i32 %region) {
;   %again = icmp ult i32 %n, 8
;   ret i1 %again
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
; declare void @llvm.assume(i1 noundef) #0
;
; attributes #0 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
;
; !offload.spmd.code = !{!0, !17, !24, !30, !36, !42, !48}
;
; !0 = !{!"uniform", !1, i64 16, i64 8, !4}
; !1 = !{!2, !3}
; !2 = !{i64 0, i64 8, ptr poison}
; !3 = !{i64 8, i64 4, i32 poison}
; !4 = !{!"several", !5}
; !5 = !{ptr @any, !6, !14, !15, i64 1, null}
; !6 = !{!7}
; !7 = !{!8, i1 true, !13}
; !8 = !{!"block", ptr @uniform.thread.0.decide, !9, !11}
; !9 = !{ptr @uniform.thread.0.then, !10, i1 false}
; !10 = !{i64 1}
; !11 = !{ptr @uniform.thread.0.else, !12, i1 false}
; !12 = !{i64 0}
; !13 = !{}
; !14 = !{i64 16}
; !15 = !{!16}
; !16 = !{i64 0, i32 poison, null}
; !17 = !{!"varying", !1, i64 16, i64 8, !18}
; !18 = !{!"several", !19}
; !19 = !{ptr @any, !20, !14, !15, i64 1, null}
; !20 = !{!21}
; !21 = !{!22, i1 true, !13}
; !22 = !{ptr @varying.thread.0, !23, i1 false}
; !23 = !{i64 0, i64 1}
; !24 = !{!"loaded", !1, i64 16, i64 8, !25}
; !25 = !{!"several", !26}
; !26 = !{ptr @any, !27, !14, !15, i64 1, null}
; !27 = !{!28}
; !28 = !{!29, i1 true, !13}
; !29 = !{ptr @loaded.thread.0, !23, i1 false}
; !30 = !{!"stored", !1, i64 16, i64 8, !31}
; !31 = !{!"several", !32}
; !32 = !{ptr @any, !33, !14, !15, i64 1, null}
; !33 = !{!34}
; !34 = !{!35, i1 true, !13}
; !35 = !{ptr @stored.thread.0, !23, i1 false}
; !36 = !{!"panic", !1, i64 16, i64 8, !37}
; !37 = !{!"several", !38}
; !38 = !{ptr @any, !39, !14, !15, i64 1, null}
; !39 = !{!40}
; !40 = !{!41, i1 true, !13}
; !41 = !{ptr @panic.thread.0, !12, i1 false}
; !42 = !{!"single", !1, i64 16, i64 8, !43}
; !43 = !{!"several", !44}
; !44 = !{ptr @any, !45, !14, !15, i64 1, null}
; !45 = !{!46}
; !46 = !{!47, i1 true, !13}
; !47 = !{ptr @single.thread.0, !12, i1 false}
; !48 = !{!"apart", !1, i64 16, i64 8, !49}
; !49 = !{!"several", !50}
; !50 = !{ptr @any, !51, !14, !15, i64 1, null}
; !51 = !{!52}
; !52 = !{!53, i1 false, !13}
; !53 = !{ptr @apart.thread.0, !23, i1 false}
