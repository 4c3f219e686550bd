; A mask of 32 bits names all lanes of a warp of 32, so no code checks whether it has the calling lane, and the loop
; over the distances is unrolled: its shuffles are permutations. In a warp of 64, and with a mask that lacks a lane, a
; missing lane panics.
; RUN[all]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/^define.*@all.thread/,/^}/p'
; CHECK-NOT[all]: @offload_lane_panic(i32 0,
; CHECK[all]: @all.thread.warp.full(
; CHECK-NOT[all]: @offload_lane_panic(i32 0,
; CHECK[all]: shufflevector <32 x i32> {{.*}} <8 x i32> <i32 16, i32 17,
; CHECK-NOT[all]: @offload_lane_panic(i32 0,
; CHECK[all]: shufflevector <32 x i32> {{.*}} <8 x i32> <i32 1, i32 0,
; CHECK-NOT[all]: @offload_lane_panic(i32 0,
; RUN[half]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu --cpu-warp-size=64 | sed -n '/^define.*@all.thread/,/^}/p'
; CHECK[half]: call void @offload_lane_panic(i32 0,
; RUN[some]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/^define.*@some.thread/,/^}/p'
; CHECK[some]: call void @offload_lane_panic(i32 0,

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_shuffle_xor_sync(i64, i32, i32)

define ptx_kernel void @all(ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  br label %loop

loop:
  %distance = phi i32 [ 16, %0 ], [ %less, %loop ]
  %sum = phi i32 [ %x, %0 ], [ %more, %loop ]
  %other = call i32 @__offload_shuffle_xor_sync(i64 4294967295, i32 %sum, i32 %distance)
  %more = add i32 %sum, %other
  %less = lshr i32 %distance, 1
  %ends = icmp eq i32 %less, 0
  br i1 %ends, label %end, label %loop

end:
  %at = zext i32 %x to i64
  %to = getelementptr i32, ptr %out, i64 %at
  store i32 %more, ptr %to, align 4
  ret void
}

define ptx_kernel void @some(ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %other = call i32 @__offload_shuffle_xor_sync(i64 2147483647, i32 %x, i32 1)
  %at = zext i32 %x to i64
  %to = getelementptr i32, ptr %out, i64 %at
  store i32 %other, ptr %to, align 4
  ret void
}
