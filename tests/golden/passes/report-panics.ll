; A panic writes its record to the launch's state, and its thread leaves.
; RUN: offloadc %s --run-pass=report_panics | grep -v "^target"

declare void @__offload_panic(i32, i32, i64, i64, i64)

define void @f(i64 %i) {
  call void @__offload_panic(i32 1, i32 2, i64 %i, i64 4, i64 0)
  unreachable
}
;;; stdout
;
; define void @f(i64 %i) {
;   %1 = call ptr @__offload_launch_state()
;   call void @offload_record(ptr %1, i32 1, i32 2, i64 %i, i64 4, i64 0)
;   call void @__offload_leave()
;   unreachable
; }
;
; ; Function Attrs: nounwind willreturn memory(none)
; declare ptr @__offload_launch_state() #0
;
; ; Function Attrs: cold noreturn nounwind
; declare void @__offload_leave() #1
;
; ; Function Attrs: cold noinline nounwind
; define internal void @offload_record(ptr %0, i32 %1, i32 %2, i64 %3, i64 %4, i64 %5) #2 {
; entry:
;   %6 = getelementptr inbounds i8, ptr %0, i64 0
;   %7 = atomicrmw xchg ptr %6, i32 1 syncscope("device") monotonic, align 4
;   %8 = icmp eq i32 %7, 0
;   br i1 %8, label %first, label %done
;
; first:                                            ; preds = %entry
;   %9 = getelementptr inbounds i8, ptr %0, i64 4
;   store i32 %1, ptr %9, align 4
;   %10 = getelementptr inbounds i8, ptr %0, i64 8
;   store i32 %2, ptr %10, align 4
;   %11 = getelementptr inbounds i8, ptr %0, i64 16
;   store i64 %3, ptr %11, align 8
;   %12 = getelementptr inbounds i8, ptr %0, i64 24
;   store i64 %4, ptr %12, align 8
;   %13 = getelementptr inbounds i8, ptr %0, i64 32
;   store i64 %5, ptr %13, align 8
;   %14 = call i32 @__offload_block_id_x()
;   %15 = getelementptr inbounds i8, ptr %0, i64 40
;   store i32 %14, ptr %15, align 4
;   %16 = call i32 @__offload_block_id_y()
;   %17 = getelementptr inbounds i8, ptr %0, i64 44
;   store i32 %16, ptr %17, align 4
;   %18 = call i32 @__offload_block_id_z()
;   %19 = getelementptr inbounds i8, ptr %0, i64 48
;   store i32 %18, ptr %19, align 4
;   %20 = call i32 @__offload_thread_id_x()
;   %21 = getelementptr inbounds i8, ptr %0, i64 52
;   store i32 %20, ptr %21, align 4
;   %22 = call i32 @__offload_thread_id_y()
;   %23 = getelementptr inbounds i8, ptr %0, i64 56
;   store i32 %22, ptr %23, align 4
;   %24 = call i32 @__offload_thread_id_z()
;   %25 = getelementptr inbounds i8, ptr %0, i64 60
;   store i32 %24, ptr %25, align 4
;   br label %done
;
; done:                                             ; preds = %first, %entry
;   ret void
; }
;
; declare i32 @__offload_block_id_x()
;
; declare i32 @__offload_block_id_y()
;
; declare i32 @__offload_block_id_z()
;
; declare i32 @__offload_thread_id_x()
;
; declare i32 @__offload_thread_id_y()
;
; declare i32 @__offload_thread_id_z()
;
; attributes #0 = { nounwind willreturn memory(none) }
; attributes #1 = { cold noreturn nounwind }
; attributes #2 = { cold noinline nounwind }
