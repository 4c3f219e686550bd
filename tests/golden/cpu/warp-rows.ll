; The full warps of a row are a loop. In the part of the row in which the bounds check holds, nothing of a warp is in
; memory: the tree of shuffles is additions of vectors, and the lane that stores the sum is the only one that looks at
; its condition. Other warps are called.
; RUN: offloadc %s -O2 --emit=optimize=- --offload-arch=cpu | sed -n '/^define.*@sums.thread.warps(/,/^}/p'
; RUN[never]: offloadc %s -O2 --cpu-vectorize=never --emit=flavor=- --offload-arch=cpu | grep -c 'warp.straight' || true
; CHECK: define internal
; CHECK-NOT: alloca
; CHECK: load <8 x float>
; CHECK: load <8 x float>
; CHECK: load <8 x float>
; CHECK: load <8 x float>
; CHECK-NOT: store
; CHECK: store float
; CHECK-NOT: store
; CHECK: call {{.*}} @sums.thread.warp.full(
; CHECK-NOT: store
; CHECK: ret

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_lane_id()
declare i32 @__offload_shuffle_xor(i32, i32)

define ptx_kernel void @sums(ptr noalias readonly %from, ptr noalias %to, i64 %n) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %in = icmp ult i64 %i, %n
  br i1 %in, label %load, label %sum

load:
  %place = getelementptr float, ptr %from, i64 %i
  %value = load float, ptr %place, align 4
  br label %sum

sum:
  %own = phi float [ %value, %load ], [ 0.0, %0 ]
  br label %loop

loop:
  %distance = phi i32 [ 16, %sum ], [ %half, %loop ]
  %before = phi float [ %own, %sum ], [ %after, %loop ]
  %bits = bitcast float %before to i32
  %other = call i32 @__offload_shuffle_xor(i32 %bits, i32 %distance)
  %more = bitcast i32 %other to float
  %after = fadd float %before, %more
  %half = lshr i32 %distance, 1
  %again = icmp ne i32 %half, 0
  br i1 %again, label %loop, label %end

end:
  %lane = call i32 @__offload_lane_id()
  %first = icmp eq i32 %lane, 0
  br i1 %first, label %store, label %leave

store:
  %warp = lshr i64 %i, 5
  %result = getelementptr float, ptr %to, i64 %warp
  store float %after, ptr %result, align 4
  br label %leave

leave:
  ret void
}
;;; stdout[never]
; 0
