; Panics of a function with a barrier become one call that writes the record. Where they are separate for the processor,
; a GPU has one end of the thread.
; RUN: offloadc %s --run-pass=merge_reports --offload-arch=sm_80 --kernel=k | grep -v "^target"

declare void @offload_record(ptr, i32, i32, i64, i64, i64)
declare void @__offload_leave()
declare void @__offload_sync_threads()

define void @k(ptr %out, i64 %i, ptr %state) {
  %first = icmp ult i64 %i, 10
  br i1 %first, label %one, label %a
one:
  call void @__offload_sync_threads()
  %second = icmp ugt i64 %i, 2
  br i1 %second, label %two, label %b
two:
  store i64 %i, ptr %out
  ret void
a:
  call void @offload_record(ptr %state, i32 1, i32 2, i64 %i, i64 10, i64 0)
  call void @__offload_leave()
  unreachable
b:
  call void @offload_record(ptr %state, i32 1, i32 3, i64 %i, i64 2, i64 0)
  call void @__offload_leave()
  unreachable
}
;;; stdout
;
; declare void @offload_record(ptr, i32, i32, i64, i64, i64)
;
; declare void @__offload_leave()
;
; declare void @__offload_sync_threads()
;
; define void @k(ptr %out, i64 %i, ptr %state) {
;   %first = icmp ult i64 %i, 10
;   br i1 %first, label %one, label %a
;
; one:                                              ; preds = %0
;   call void @__offload_sync_threads()
;   %second = icmp ugt i64 %i, 2
;   br i1 %second, label %two, label %b
;
; two:                                              ; preds = %one
;   store i64 %i, ptr %out, align 4
;   ret void
;
; a:                                                ; preds = %0
;   br label %panic
;
; b:                                                ; preds = %one
;   br label %panic
;
; panic:                                            ; preds = %b, %a
;   %1 = phi ptr [ %state, %a ], [ %state, %b ]
;   %2 = phi i32 [ 2, %a ], [ 3, %b ]
;   %3 = phi i64 [ %i, %a ], [ %i, %b ]
;   %4 = phi i64 [ 10, %a ], [ 2, %b ]
;   call void @offload_record(ptr %1, i32 1, i32 %2, i64 %3, i64 %4, i64 0)
;   call void @__offload_leave()
;   unreachable
; }
