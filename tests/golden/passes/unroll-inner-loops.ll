; A short loop with a check in a loop is unrolled before the threads of a row are executed together. A loop in no loop
; is left to LLVM, like one with an unknown number of iterations.
; RUN: offloadc %s --run-pass=unroll_inner_loops --offload-arch=cpu --kernel=filter --kernel=alone --kernel=unknown | grep -v "^target"

declare void @llvm.trap()

define void @filter(ptr %out, i32 %n) {
entry:
  br label %outer
outer:
  %y = phi i32 [ 0, %entry ], [ %y.next, %latch ]
  br label %inner
inner:
  %x = phi i32 [ 0, %outer ], [ %x.next, %write ]
  %at = add i32 %y, %x
  %inside = icmp ult i32 %at, %n
  br i1 %inside, label %write, label %wrong
write:
  %place = getelementptr i32, ptr %out, i32 %at
  store i32 %x, ptr %place
  %x.next = add i32 %x, 1
  %x.more = icmp ult i32 %x.next, 3
  br i1 %x.more, label %inner, label %latch
wrong:
  call void @llvm.trap()
  unreachable
latch:
  %y.next = add i32 %y, 1
  %y.more = icmp ult i32 %y.next, %n
  br i1 %y.more, label %outer, label %end
end:
  ret void
}

define void @alone(ptr %out) {
entry:
  br label %inner
inner:
  %x = phi i32 [ 0, %entry ], [ %x.next, %write ]
  %inside = icmp ult i32 %x, 100
  br i1 %inside, label %write, label %wrong
write:
  %place = getelementptr i32, ptr %out, i32 %x
  store i32 %x, ptr %place
  %x.next = add i32 %x, 1
  %x.more = icmp ult i32 %x.next, 3
  br i1 %x.more, label %inner, label %end
wrong:
  call void @llvm.trap()
  unreachable
end:
  ret void
}

define void @unknown(ptr %out, i32 %n) {
entry:
  br label %outer
outer:
  %y = phi i32 [ 0, %entry ], [ %y.next, %latch ]
  br label %inner
inner:
  %x = phi i32 [ 0, %outer ], [ %x.next, %write ]
  %inside = icmp ult i32 %x, 100
  br i1 %inside, label %write, label %wrong
write:
  %place = getelementptr i32, ptr %out, i32 %x
  store i32 %y, ptr %place
  %x.next = add i32 %x, 1
  %x.more = icmp ult i32 %x.next, %n
  br i1 %x.more, label %inner, label %latch
latch:
  %y.next = add i32 %y, 1
  %y.more = icmp ult i32 %y.next, %n
  br i1 %y.more, label %outer, label %end
wrong:
  call void @llvm.trap()
  unreachable
end:
  ret void
}
;;; stdout
;
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
; declare void @llvm.trap() #0
;
; define void @filter(ptr %out, i32 %n) {
; entry:
;   br label %outer
;
; outer:                                            ; preds = %write.2, %entry
;   %y = phi i32 [ 0, %entry ], [ %y.next, %write.2 ]
;   %inside = icmp ult i32 %y, %n
;   br i1 %inside, label %write, label %wrong
;
; write:                                            ; preds = %outer
;   %place = getelementptr i32, ptr %out, i32 %y
;   store i32 0, ptr %place, align 4
;   %at.1 = add i32 %y, 1
;   %inside.1 = icmp ult i32 %at.1, %n
;   br i1 %inside.1, label %write.1, label %wrong
;
; write.1:                                          ; preds = %write
;   %place.1 = getelementptr i32, ptr %out, i32 %at.1
;   store i32 1, ptr %place.1, align 4
;   %at.2 = add i32 %y, 2
;   %inside.2 = icmp ult i32 %at.2, %n
;   br i1 %inside.2, label %write.2, label %wrong
;
; write.2:                                          ; preds = %write.1
;   %place.2 = getelementptr i32, ptr %out, i32 %at.2
;   store i32 2, ptr %place.2, align 4
;   %y.next = add i32 %y, 1
;   %y.more = icmp ult i32 %y.next, %n
;   br i1 %y.more, label %outer, label %end
;
; wrong:                                            ; preds = %write.1, %write, %outer
;   call void @llvm.trap()
;   unreachable
;
; end:                                              ; preds = %write.2
;   ret void
; }
;
; define void @alone(ptr %out) {
; entry:
;   br label %inner
;
; inner:                                            ; preds = %write, %entry
;   %x = phi i32 [ 0, %entry ], [ %x.next, %write ]
;   %inside = icmp ult i32 %x, 100
;   br i1 %inside, label %write, label %wrong
;
; write:                                            ; preds = %inner
;   %place = getelementptr i32, ptr %out, i32 %x
;   store i32 %x, ptr %place, align 4
;   %x.next = add i32 %x, 1
;   %x.more = icmp ult i32 %x.next, 3
;   br i1 %x.more, label %inner, label %end
;
; wrong:                                            ; preds = %inner
;   call void @llvm.trap()
;   unreachable
;
; end:                                              ; preds = %write
;   ret void
; }
;
; define void @unknown(ptr %out, i32 %n) {
; entry:
;   br label %outer
;
; outer:                                            ; preds = %latch, %entry
;   %y = phi i32 [ 0, %entry ], [ %y.next, %latch ]
;   br label %inner
;
; inner:                                            ; preds = %write, %outer
;   %x = phi i32 [ 0, %outer ], [ %x.next, %write ]
;   %inside = icmp ult i32 %x, 100
;   br i1 %inside, label %write, label %wrong
;
; write:                                            ; preds = %inner
;   %place = getelementptr i32, ptr %out, i32 %x
;   store i32 %y, ptr %place, align 4
;   %x.next = add i32 %x, 1
;   %x.more = icmp ult i32 %x.next, %n
;   br i1 %x.more, label %inner, label %latch
;
; latch:                                            ; preds = %write
;   %y.next = add i32 %y, 1
;   %y.more = icmp ult i32 %y.next, %n
;   br i1 %y.more, label %outer, label %end
;
; wrong:                                            ; preds = %inner
;   call void @llvm.trap()
;   unreachable
;
; end:                                              ; preds = %latch
;   ret void
; }
;
; attributes #0 = { cold noreturn nounwind memory(inaccessiblemem: write) }
