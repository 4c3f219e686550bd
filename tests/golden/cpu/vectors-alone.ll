; Threads that are executed together part where their data differ: each of those whose sum is positive stores it
; separately, because no mask of a vector guards a volatile store.
; It compares its index again, instead of taking the result out of a vector.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@rows.thread.fast.vector(.*{/,/^}/p'
; RUN[alone]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@rows.thread.fast.vector.scalar.0(.*{/,/^}/p'
; CHECK: fadd <8 x float>
; CHECK: call void @rows.thread.fast.vector.scalar.0(
; CHECK[alone]: icmp ugt i64
; CHECK[alone]: store volatile float

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @rows(ptr %a, ptr %b, ptr %out, i64 %width, i64 %n) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %in = icmp ult i64 %i, %width
  br i1 %in, label %start, label %leave

start:
  %some = icmp ne i64 %n, 0
  br i1 %some, label %loop, label %leave

loop:
  %k = phi i64 [ 0, %start ], [ %next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %more, %loop ]
  %one = getelementptr float, ptr %a, i64 %k
  %left = load float, ptr %one, align 4
  %row = mul i64 %k, %width
  %index = add i64 %row, %i
  %each = getelementptr float, ptr %b, i64 %index
  %right = load float, ptr %each, align 4
  %product = fmul float %left, %right
  %more = fadd float %sum, %product
  %next = add nuw i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %after

after:
  %low = icmp ult i64 %i, %n
  %positive = fcmp ogt float %more, 0.0
  br i1 %positive, label %write, label %leave

write:
  %to = getelementptr float, ptr %out, i64 %i
  %value = select i1 %low, float %more, float 1.0
  store volatile float %value, ptr %to, align 4
  br label %leave

leave:
  ret void
}
