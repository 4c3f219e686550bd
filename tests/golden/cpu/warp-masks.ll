; Lanes in divergent code stop at one operation after another: at one with a mask, lanes go on only if their mask is
; complete, and the others wait below the floor. No lane waits for lanes that have returned. If no lane can go on, they
; panic with the place in the source, which the call carries. Without a mask, none of this code is there.
; RUN: offloadc %s -O1 --emit=flavor=- --offload-arch=cpu | sed -n '/^define.*@parts.thread.warp(/,/^}/p'
; CHECK: call i64 @offload.warp.ready(ptr %{{.*}}, i64 %{{.*}}, i64 %all, i64 %{{.*}})
; CHECK: finish:
; CHECK: icmp ne i32 %floor, 0
; CHECK: look:
; CHECK: %floor = phi i32 [ 0, %diverged ], [ %stop, %{{.*}} ]
; CHECK: call i32 @offload.warp.earliest(ptr %{{.*}}, i64 %{{.*}}, i32 %floor)
; CHECK: stuck:
; CHECK: call i64 @offload.warp.missing(
; CHECK: call void @offload_lane_panic(i32 1,
; CHECK: go:
; CHECK: %active = phi i64
; CHECK: call i64 @offload.warp.ready(
; RUN[without]: offloadc %s -O1 --emit=flavor=- --offload-arch=cpu | sed -n '/^define.*@votes.thread.warp(/,/^}/p'
; CHECK[without]: call i32 @offload.warp.earliest(ptr %{{.*}}, i64 %{{.*}}, i32 0)
; CHECK-NOT[without]: offload_lane_panic
; CHECK[without]: }

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_lane_id()
declare i32 @__offload_shuffle_sync(i64, i32, i32)
declare i64 @__offload_ballot(i1 zeroext)

define ptx_kernel void @parts(ptr %out, i64 %mask) {
entry:
  %x = call i32 @__offload_thread_id_x()
  %lane = call i32 @__offload_lane_id()
  %low = icmp ult i32 %lane, 16
  br i1 %low, label %meet, label %done
meet:
  %first = call i32 @__offload_shuffle_sync(i64 %mask, i32 %x, i32 0)
  %place = getelementptr i32, ptr %out, i32 %x
  store i32 %first, ptr %place
  br label %done
done:
  ret void
}

define ptx_kernel void @votes(ptr %out) {
entry:
  %x = call i32 @__offload_thread_id_x()
  %low = icmp ult i32 %x, 16
  br i1 %low, label %meet, label %done
meet:
  %there = call i64 @__offload_ballot(i1 true)
  %place = getelementptr i64, ptr %out, i32 %x
  store i64 %there, ptr %place
  br label %done
done:
  ret void
}
