; A check that the size of a block proves is dropped without a copy of its loop.
; RUN: offloadc %s --run-pass=hoist_checks --offload-arch=gfx90a --kernel=k | grep -v "^target"

declare void @__offload_panic(i32, i64, i64)
declare i32 @__offload_thread_id_x()

define void @k(ptr %shared) {
entry:
  %thread = call range(i32 0, 16) i32 @__offload_thread_id_x()
  %first = zext i32 %thread to i64
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %in ]
  %row = mul i64 %k, 16
  %i = add i64 %row, %first
  %holds = icmp ult i64 %i, 256
  br i1 %holds, label %in, label %panic
in:
  %at = getelementptr float, ptr %shared, i64 %i
  store float 1.0, ptr %at
  %next = add nuw nsw i64 %k, 1
  %more = icmp ult i64 %next, 16
  br i1 %more, label %loop, label %done
done:
  ret void
panic:
  call void @__offload_panic(i32 1, i64 %i, i64 256)
  unreachable
}
;;; stdout
;
; declare void @__offload_panic(i32, i64, i64)
;
; declare i32 @__offload_thread_id_x()
;
; define void @k(ptr %shared) {
; entry:
;   %thread = call range(i32 0, 16) i32 @__offload_thread_id_x()
;   %first = zext i32 %thread to i64
;   br label %loop
;
; loop:                                             ; preds = %in, %entry
;   %k = phi i64 [ 0, %entry ], [ %next, %in ]
;   %row = mul i64 %k, 16
;   %i = add i64 %row, %first
;   %holds = icmp ult i64 %i, 256
;   br label %in
;
; in:                                               ; preds = %loop
;   %at = getelementptr float, ptr %shared, i64 %i
;   store float 1.000000e+00, ptr %at, align 4
;   %next = add nuw nsw i64 %k, 1
;   %more = icmp ult i64 %next, 16
;   br i1 %more, label %loop, label %done
;
; done:                                             ; preds = %in
;   ret void
; }
