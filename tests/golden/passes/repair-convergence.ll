; Two copies of one barrier in two branches become one barrier after a merge of the branches.
; RUN: offloadc %s --run-pass=repair_convergence --kernel=k | grep -v "^target"

declare i32 @__offload_thread_id_x() memory(none)
declare void @__offload_sync_threads() convergent

define void @k(ptr %out) convergent {
entry:
  %id = call i32 @__offload_thread_id_x()
  %first = icmp eq i32 %id, 0
  br i1 %first, label %one, label %other
one:
  store i32 1, ptr %out
  call void @__offload_sync_threads() convergent
  br label %end
other:
  call void @__offload_sync_threads() convergent
  br label %end
end:
  ret void
}
;;; stdout
;
; ; Function Attrs: memory(none)
; declare i32 @__offload_thread_id_x() #0
;
; ; Function Attrs: convergent
; declare void @__offload_sync_threads() #1
;
; ; Function Attrs: convergent
; define void @k(ptr %out) #1 {
; entry:
;   %id = call i32 @__offload_thread_id_x()
;   %first = icmp eq i32 %id, 0
;   br i1 %first, label %one, label %barrier3
;
; one:                                              ; preds = %entry
;   store i32 1, ptr %out, align 4
;   br label %barrier3
;
; barrier3:                                         ; preds = %entry, %one
;   call void @__offload_sync_threads() #1
;   call void asm sideeffect "", ""() #2
;   ret void
; }
;
; attributes #0 = { memory(none) }
; attributes #1 = { convergent }
; attributes #2 = { convergent nounwind }
