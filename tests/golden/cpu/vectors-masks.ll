; A branch on data becomes a mask: threads that are executed together compute both values, and those whose number is
; positive store theirs. The memory of the others may belong to another block, so it is not written.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@rows.thread.vector(.*{/,/^}/p'
; CHECK: fcmp ogt <8 x float>
; CHECK: select <8 x i1>
; CHECK: call void @llvm.masked.store.v8f32.p0(
; CHECK-NOT: vector.scalar

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @rows(ptr %a, ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %from = getelementptr float, ptr %a, i64 %i
  %to = getelementptr float, ptr %out, i64 %i
  %value = load float, ptr %from, align 4
  %positive = fcmp ogt float %value, 0.0
  br i1 %positive, label %yes, label %leave

yes:
  %square = fmul float %value, %value
  %large = fcmp ogt float %square, 8.0
  br i1 %large, label %divide, label %write

divide:
  %quotient = fdiv float %square, 3.0
  br label %write

write:
  %result = phi float [ %quotient, %divide ], [ %square, %yes ]
  store float %result, ptr %to, align 4
  br label %leave

leave:
  ret void
}
