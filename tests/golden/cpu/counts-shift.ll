; The number of iterations of a loop with a step that is a power of two, which is rounded up by an addition that does
; not wrap around, and a shift: the last thread decides whether it is the same in all threads. Other shifts are vectors.
; If the end and the step are multiples of the group's size, the number is uniform in groups that begin at a multiple.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@sums.thread.vector(.*{/,/^}/p' | grep -c "call i64 @offload.spmd.count.i64("
; RUN[wraps]: sed 's/add nuw i64 %left, 255/add i64 %left, 255/' %s | offloadc -O2 --emit=flavor=- --offload-arch=cpu - | grep -c "offload.spmd.count" || true
; RUN[other]: sed 's/add nuw i64 %left, 255/add nuw i64 %left, 254/' %s | offloadc -O2 --emit=flavor=- --offload-arch=cpu - | grep -c "offload.spmd.count" || true
; RUN[data]: sed 's/^  %i = .*/  %w = zext i32 %x to i64\n  %g = getelementptr i64, ptr %a, i64 %w\n  %i = load i64, ptr %g/' %s | offloadc -O2 --emit=flavor=- --offload-arch=cpu --cpu-vectorize=always - | sed -n '/@sums.thread.vector(.*{/,/^}/p' | grep -c "offload.spmd.count\|lshr <8 x i64>"
; RUN[aligned]: sed 's/i64 %n, i64 %i)/i64 400, i64 %i)/' %s | offloadc -O2 --emit=flavor=- --offload-arch=cpu - | sed -n '/@sums.thread.vector(.*{/,/^}/p' | grep -c "and i64 .*, 7$"
; RUN[end]: sed 's/i64 %n, i64 %i)/i64 404, i64 %i)/' %s | offloadc -O2 --emit=flavor=- --offload-arch=cpu - | sed -n '/@sums.thread.vector(.*{/,/^}/p' | grep -c "and i64 .*, 7$" || true
; RUN[step]: sed 's/i64 %n, i64 %i)/i64 400, i64 %i)/; s/i64 %left, 255/i64 %left, 3/; s/i64 %more.left, 8/i64 %more.left, 2/' %s | offloadc -O2 --emit=flavor=- --offload-arch=cpu - | sed -n '/@sums.thread.vector(.*{/,/^}/p' | grep -c "and i64 .*, 7$" || true
; RUN[twice]: sed 's/i64 %n, i64 %i)/i64 400, i64 %i)/; s/zext i32 %x/zext i32 %x2/; s/^  %x = .*/&\n  %x2 = shl nuw nsw i32 %x, 1/' %s | offloadc -O2 --emit=flavor=- --offload-arch=cpu - | sed -n '/@sums.thread.vector(.*{/,/^}/p' | grep -c "and i64 .*, 7$" || true

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i64 @llvm.usub.sat.i64(i64, i64)

define ptx_kernel void @sums(ptr %a, ptr %out, i64 %n) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %left = call i64 @llvm.usub.sat.i64(i64 %n, i64 %i)
  %more.left = add nuw i64 %left, 255
  %count = lshr i64 %more.left, 8
  %some = icmp ne i64 %count, 0
  br i1 %some, label %loop, label %leave

loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %at = phi i64 [ %i, %0 ], [ %then, %loop ]
  %sum = phi float [ 0.0, %0 ], [ %more, %loop ]
  %from = getelementptr float, ptr %a, i64 %at
  %value = load float, ptr %from, align 4
  %more = fadd float %sum, %value
  %then = add i64 %at, 256
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %count
  br i1 %again, label %loop, label %end

end:
  %to = getelementptr float, ptr %out, i64 %i
  store float %more, ptr %to, align 4
  br label %leave

leave:
  ret void
}
;;; stdout
; 2
;;; stdout[wraps]
; 0
;;; stdout[other]
; 0
;;; stdout[data]
; 1
;;; stdout[aligned]
; 1
;;; stdout[end]
; 0
;;; stdout[step]
; 0
;;; stdout[twice]
; 0
