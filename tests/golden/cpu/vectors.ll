; Threads of a row are executed together, with their loop inside: an element of `a` is uniform and loaded once, those of
; `b` are loaded as a vector. Threads that have no element are not among them.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@rows.thread.fast.vector(.*{/,/^}/p'
; RUN[never]: offloadc %s -O2 --cpu-vectorize=never --emit=flavor=- --offload-arch=cpu | grep -c '[.]vector(' || true
; CHECK: define internal void @rows.thread.fast.vector(
; CHECK: load float
; CHECK: load <8 x float>
; CHECK: fmul <8 x float>
; CHECK: fadd <8 x float>
; CHECK-NOT: .scalar.
; CHECK: ret void

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
  br i1 %again, label %loop, label %store

store:
  %to = getelementptr float, ptr %out, i64 %i
  store float %more, ptr %to, align 4
  br label %leave

leave:
  ret void
}
;;; stdout[never]
; 0
