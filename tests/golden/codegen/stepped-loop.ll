; A loop by the size of the block, as Rust's `step_by` has it, divides nothing on a GPU.
; RUN: offloadc %s --emit=codegen=- --offload-arch=sm_80 --kernel=k | grep -c "div\|rem\|\.entry"
; RUN[amd]: offloadc %s --emit=codegen=- --offload-arch=gfx90a --kernel=k | grep -c "rcp\|^k:"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_dim_x()

define void @k(ptr %x, i64 %n) {
entry:
  %thread = call i32 @__offload_thread_id_x()
  %start = zext i32 %thread to i64
  %size = call i32 @__offload_block_dim_x()
  %step = zext i32 %size to i64
  %distance = call i64 @llvm.usub.sat.i64(i64 %n, i64 %start)
  %quotient = udiv i64 %distance, %step
  %remainder = urem i64 %distance, %step
  %is.more = icmp ne i64 %remainder, 0
  %more = zext i1 %is.more to i64
  %count = add i64 %quotient, %more
  %none = icmp eq i64 %count, 0
  br i1 %none, label %done, label %loop
loop:
  %i = phi i64 [ %start, %entry ], [ %i.next, %loop ]
  %left = phi i64 [ %count, %entry ], [ %less, %loop ]
  %at = getelementptr float, ptr %x, i64 %i
  store float 1.0, ptr %at
  %i.next = add i64 %i, %step
  %less = add i64 %left, -1
  %ends = icmp eq i64 %less, 0
  br i1 %ends, label %done, label %loop
done:
  ret void
}
;;; stdout
; 1
;;; stdout[amd]
; 1
