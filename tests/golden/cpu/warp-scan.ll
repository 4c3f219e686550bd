; The first lane of a group has a number that is a multiple of 8, so a condition on the lane needs no check: the scan of a
; full warp is straight code, and nothing of it is in memory.
; RUN: offloadc %s -O2 --emit=optimize=- --offload-arch=cpu | sed -n '/^define.*@scan.thread.warps(/,/^}/p'
; CHECK: define internal
; CHECK-NOT: alloca
; CHECK: add <8 x i32>
; CHECK-NOT: alloca
; CHECK: call {{.*}} @scan.thread.warp.full(
; CHECK: ret

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_lane_id()
declare i32 @__offload_shuffle_up(i32, i32)

define ptx_kernel void @scan(ptr noalias readonly %from, ptr noalias %to, i64 %n) {
  %x = call i32 @__offload_thread_id_x()
  %lane = call i32 @__offload_lane_id()
  %i = zext i32 %x to i64
  %in = icmp ult i64 %i, %n
  br i1 %in, label %load, label %sum

load:
  %place = getelementptr i32, ptr %from, i64 %i
  %value = load i32, ptr %place, align 4
  br label %sum

sum:
  %own = phi i32 [ %value, %load ], [ 0, %0 ]
  br label %loop

loop:
  %distance = phi i32 [ 1, %sum ], [ %double, %loop ]
  %before = phi i32 [ %own, %sum ], [ %after, %loop ]
  %other = call i32 @__offload_shuffle_up(i32 %before, i32 %distance)
  %is.first = icmp ult i32 %lane, %distance
  %more = select i1 %is.first, i32 0, i32 %other
  %after = add i32 %before, %more
  %double = shl nuw nsw i32 %distance, 1
  %again = icmp ult i32 %double, 32
  br i1 %again, label %loop, label %end

end:
  br i1 %in, label %store, label %leave

store:
  %result = getelementptr i32, ptr %to, i64 %i
  store i32 %after, ptr %result, align 4
  br label %leave

leave:
  ret void
}
