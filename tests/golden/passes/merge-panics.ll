; Two panics of a function end in one block.
; RUN: offloadc %s --run-pass=merge_panics | grep -v "^target"

declare void @__offload_panic(i32, i32, i64, i64, i64)

define void @f(i1 %a, i1 %b) {
entry:
  br i1 %a, label %first, label %next
first:
  call void @__offload_panic(i32 1, i32 1, i64 0, i64 0, i64 0)
  unreachable
next:
  br i1 %b, label %second, label %end
second:
  call void @__offload_panic(i32 2, i32 2, i64 5, i64 6, i64 0)
  unreachable
end:
  ret void
}

; A single panic is not merged.
define void @one(i1 %a) {
  br i1 %a, label %first, label %end
first:
  call void @__offload_panic(i32 1, i32 1, i64 0, i64 0, i64 0)
  unreachable
end:
  ret void
}

; Threads that wait for each other must not meet in another place.
define void @synchronises(i1 %a, i1 %b) {
  call void @waits()
  br i1 %a, label %first, label %next
first:
  call void @__offload_panic(i32 1, i32 1, i64 0, i64 0, i64 0)
  unreachable
next:
  br i1 %b, label %second, label %end
second:
  call void @__offload_panic(i32 2, i32 2, i64 5, i64 6, i64 0)
  unreachable
end:
  ret void
}

; A call that does not end the thread is no panic, and neither is a call with the address of a panic.
define void @others(i1 %a) {
  call void @takes(ptr @__offload_panic)
  call void @__offload_panic(i32 1, i32 1, i64 0, i64 0, i64 0)
  call void @__offload_panic(i32 2, i32 1, i64 0, i64 0, i64 0)
  ret void
}

declare void @waits() convergent
declare void @takes(ptr)
;;; stdout
;
; declare void @__offload_panic(i32, i32, i64, i64, i64)
;
; define void @f(i1 %a, i1 %b) {
; entry:
;   br i1 %a, label %first, label %next
;
; first:                                            ; preds = %entry
;   br label %panic
;
; next:                                             ; preds = %entry
;   br i1 %b, label %second, label %end
;
; second:                                           ; preds = %next
;   br label %panic
;
; end:                                              ; preds = %next
;   ret void
;
; panic:                                            ; preds = %second, %first
;   %0 = phi i32 [ 1, %first ], [ 2, %second ]
;   %1 = phi i32 [ 1, %first ], [ 2, %second ]
;   %2 = phi i64 [ 0, %first ], [ 5, %second ]
;   %3 = phi i64 [ 0, %first ], [ 6, %second ]
;   call void @__offload_panic(i32 %0, i32 %1, i64 %2, i64 %3, i64 0)
;   unreachable
; }
;
; define void @one(i1 %a) {
;   br i1 %a, label %first, label %end
;
; first:                                            ; preds = %0
;   call void @__offload_panic(i32 1, i32 1, i64 0, i64 0, i64 0)
;   unreachable
;
; end:                                              ; preds = %0
;   ret void
; }
;
; define void @synchronises(i1 %a, i1 %b) {
;   call void @waits()
;   br i1 %a, label %first, label %next
;
; first:                                            ; preds = %0
;   call void @__offload_panic(i32 1, i32 1, i64 0, i64 0, i64 0)
;   unreachable
;
; next:                                             ; preds = %0
;   br i1 %b, label %second, label %end
;
; second:                                           ; preds = %next
;   call void @__offload_panic(i32 2, i32 2, i64 5, i64 6, i64 0)
;   unreachable
;
; end:                                              ; preds = %next
;   ret void
; }
;
; define void @others(i1 %a) {
;   call void @takes(ptr @__offload_panic)
;   call void @__offload_panic(i32 1, i32 1, i64 0, i64 0, i64 0)
;   call void @__offload_panic(i32 2, i32 1, i64 0, i64 0, i64 0)
;   ret void
; }
;
; ; Function Attrs: convergent
; declare void @waits() #0
;
; declare void @takes(ptr)
;
; attributes #0 = { convergent }
