; Reports of values that were certainly written are removed, and the two questions for the pointer become one branch. A
; report that memory decides stays. A function of the input with the same name is not the checker's, so nothing changes.
; RUN: offloadc %s --run-pass=drop_settled_checks --sanitize --offload-arch=cpu --kernel=k | grep -v "^target"
; RUN[of-the-input]: sed "s|, ptr) .0|, ptr)|" %s | offloadc - --run-pass=drop_settled_checks --sanitize --offload-arch=cpu --kernel=k | grep -v "^target"

declare void @offloadrt_check_decision(i32, i32, ptr) #0
declare i32 @__offload_thread_id_x() memory(none)

@place = constant i8 0

define void @k(ptr %p, i32 %n, i32 %shadow) {
  %t = call i32 @__offload_thread_id_x()
  %inside = icmp ult i32 %t, %n
  call void @offloadrt_check_decision(i32 0, i32 0, ptr @place)
  br i1 %inside, label %some, label %chosen
some:
  br label %chosen
chosen:
  %found = phi ptr [ null, %0 ], [ %p, %some ]
  %none = phi i1 [ true, %0 ], [ false, %some ]
  call void @offloadrt_check_decision(i32 0, i32 0, ptr @place)
  br i1 %none, label %leave, label %work
work:
  call void @offloadrt_check_decision(i32 %shadow, i32 0, ptr @place)
  store i32 2, ptr %found
  br label %leave
leave:
  ret void
}

attributes #0 = { "offload-check" }
;;; stdout
;
; @place = constant i8 0
;
; declare void @offloadrt_check_decision(i32, i32, ptr) #0
;
; ; Function Attrs: memory(none)
; declare i32 @__offload_thread_id_x() #1
;
; define void @k(ptr %p, i32 %n, i32 %shadow) {
;   %t = call i32 @__offload_thread_id_x()
;   %inside = icmp ult i32 %t, %n
;   br i1 %inside, label %work, label %leave
;
; work:                                             ; preds = %0
;   call void @offloadrt_check_decision(i32 %shadow, i32 0, ptr @place)
;   store i32 2, ptr %p, align 4
;   br label %leave
;
; leave:                                            ; preds = %0, %work
;   ret void
; }
;
; attributes #0 = { "offload-check" }
; attributes #1 = { memory(none) }
;;; stdout[of-the-input]
;
; @place = constant i8 0
;
; declare void @offloadrt_check_decision(i32, i32, ptr)
;
; ; Function Attrs: memory(none)
; declare i32 @__offload_thread_id_x() #0
;
; define void @k(ptr %p, i32 %n, i32 %shadow) {
;   %t = call i32 @__offload_thread_id_x()
;   %inside = icmp ult i32 %t, %n
;   call void @offloadrt_check_decision(i32 0, i32 0, ptr @place)
;   br i1 %inside, label %some, label %chosen
;
; some:                                             ; preds = %0
;   br label %chosen
;
; chosen:                                           ; preds = %some, %0
;   %found = phi ptr [ null, %0 ], [ %p, %some ]
;   %none = phi i1 [ true, %0 ], [ false, %some ]
;   call void @offloadrt_check_decision(i32 0, i32 0, ptr @place)
;   br i1 %none, label %leave, label %work
;
; work:                                             ; preds = %chosen
;   call void @offloadrt_check_decision(i32 %shadow, i32 0, ptr @place)
;   store i32 2, ptr %found, align 4
;   br label %leave
;
; leave:                                            ; preds = %work, %chosen
;   ret void
; }
;
; attributes #0 = { memory(none) }
