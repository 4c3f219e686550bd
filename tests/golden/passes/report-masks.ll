; A lane that brings a mask without its own bit panics. A mask of all lanes has it. A panic may also end the kernel without
; a report, or be left out.
; RUN: offloadc %s --run-pass=report_masks --kernel=k | grep -v "^target"
; RUN[trap]: offloadc %s --run-pass=report_masks --kernel=k --device-panic=trap | grep -v "^target"
; RUN[none]: offloadc %s --run-pass=report_masks --kernel=k --device-panic=unreachable | grep -v "^target"

declare i32 @__offload_lane_id()
declare i32 @__offload_shuffle_xor_sync(i64, i32, i32)

define void @k(ptr %out, i64 %mask) {
  %r = call i32 @__offload_shuffle_xor_sync(i64 %mask, i32 1, i32 1)
  store i32 %r, ptr %out
  %all = call i32 @__offload_shuffle_xor_sync(i64 -1, i32 1, i32 1)
  store i32 %all, ptr %out
  ret void
}
;;; stdout
;
; declare i32 @__offload_lane_id()
;
; declare i32 @__offload_shuffle_xor_sync(i64, i32, i32)
;
; define void @k(ptr %out, i64 %mask) {
;   %1 = call i32 @__offload_lane_id()
;   %2 = zext i32 %1 to i64
;   %3 = shl i64 1, %2
;   %4 = and i64 %3, %mask
;   %5 = icmp eq i64 %4, 0
;   br i1 %5, label %wrong, label %masked
;
; masked:                                           ; preds = %0
;   %r = call i32 @__offload_shuffle_xor_sync(i64 %mask, i32 1, i32 1)
;   store i32 %r, ptr %out, align 4
;   %all = call i32 @__offload_shuffle_xor_sync(i64 -1, i32 1, i32 1)
;   store i32 %all, ptr %out, align 4
;   ret void
;
; wrong:                                            ; preds = %0
;   call void @offload_lane_panic(i32 0, i32 0, i64 %2, i64 0)
;   unreachable
; }
;
; ; Function Attrs: cold noreturn nounwind
; define internal void @offload_lane_panic(i32 %0, i32 %1, i64 %2, i64 %3) #0 {
; entry:
;   %4 = icmp eq i32 %0, 0
;   %message = select i1 %4, i32 1, i32 0
;   %5 = icmp eq i32 %0, 1
;   %message1 = select i1 %5, i32 2, i32 %message
;   %6 = icmp eq i32 %0, 2
;   %message2 = select i1 %6, i32 3, i32 %message1
;   call void @__offload_panic(i32 %message2, i32 %1, i64 %2, i64 %3, i64 0)
;   unreachable
; }
;
; declare void @__offload_panic(i32, i32, i64, i64, i64)
;
; attributes #0 = { cold noreturn nounwind }
;;; stdout[trap]
;
; declare i32 @__offload_lane_id()
;
; declare i32 @__offload_shuffle_xor_sync(i64, i32, i32)
;
; define void @k(ptr %out, i64 %mask) {
;   %1 = call i32 @__offload_lane_id()
;   %2 = zext i32 %1 to i64
;   %3 = shl i64 1, %2
;   %4 = and i64 %3, %mask
;   %5 = icmp eq i64 %4, 0
;   br i1 %5, label %wrong, label %masked
;
; masked:                                           ; preds = %0
;   %r = call i32 @__offload_shuffle_xor_sync(i64 %mask, i32 1, i32 1)
;   store i32 %r, ptr %out, align 4
;   %all = call i32 @__offload_shuffle_xor_sync(i64 -1, i32 1, i32 1)
;   store i32 %all, ptr %out, align 4
;   ret void
;
; wrong:                                            ; preds = %0
;   call void @offload_lane_panic(i32 0, i32 0, i64 %2, i64 0)
;   unreachable
; }
;
; ; Function Attrs: cold noreturn nounwind
; define internal void @offload_lane_panic(i32 %0, i32 %1, i64 %2, i64 %3) #0 {
; entry:
;   call void @llvm.trap()
;   unreachable
; }
;
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
; declare void @llvm.trap() #1
;
; attributes #0 = { cold noreturn nounwind }
; attributes #1 = { cold noreturn nounwind memory(inaccessiblemem: write) }
;;; stdout[none]
;
; declare i32 @__offload_lane_id()
;
; declare i32 @__offload_shuffle_xor_sync(i64, i32, i32)
;
; define void @k(ptr %out, i64 %mask) {
;   %r = call i32 @__offload_shuffle_xor_sync(i64 %mask, i32 1, i32 1)
;   store i32 %r, ptr %out, align 4
;   %all = call i32 @__offload_shuffle_xor_sync(i64 -1, i32 1, i32 1)
;   store i32 %all, ptr %out, align 4
;   ret void
; }
;
; ; Function Attrs: cold noreturn nounwind
; define internal void @offload_lane_panic(i32 %0, i32 %1, i64 %2, i64 %3) #0 {
; entry:
;   call void @llvm.trap()
;   unreachable
; }
;
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
; declare void @llvm.trap() #1
;
; attributes #0 = { cold noreturn nounwind }
; attributes #1 = { cold noreturn nounwind memory(inaccessiblemem: write) }
