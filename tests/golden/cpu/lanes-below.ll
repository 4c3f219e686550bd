; A compaction: each lane counts the votes of the lanes before it. All lanes have the same votes, which are loaded once.
; The number has 32 bits, like the comparison of the place, whose other part is the same in all lanes. The mask of 64
; lanes has 64 bits.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@compact.thread.1.vector(.*{/,/^}/p'
; CHECK: load i64, ptr
; CHECK: call <8 x i32> @llvm.ctpop.v8i32(
; CHECK: call i64 @llvm.usub.sat.i64(
; CHECK: icmp slt <8 x i32>
; CHECK-NOT: icmp ult <8 x i64>
; RUN[wide]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu --cpu-warp-size=64 | sed -n '/@compact.thread.1.vector(.*{/,/^}/p'
; CHECK[wide]: call <8 x i64> @llvm.ctpop.v8i64(

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_lane_id()
declare i64 @__offload_ballot(i1 zeroext)
declare i64 @llvm.ctpop.i64(i64)

define ptx_kernel void @compact(ptr %a, ptr %out, i64 %n, i64 %first) {
  %x = call i32 @__offload_thread_id_x()
  %lane = call i32 @__offload_lane_id()
  %i = zext i32 %x to i64
  %from = getelementptr i32, ptr %a, i64 %i
  %value = load i32, ptr %from, align 4
  %odd = trunc i32 %value to i1
  %there = call i64 @__offload_ballot(i1 zeroext %odd)
  %number = zext i32 %lane to i64
  %bit = shl nuw i64 1, %number
  %mask = add i64 %bit, -1
  %before = and i64 %there, %mask
  %count = call i64 @llvm.ctpop.i64(i64 %before)
  %place = add i64 %first, %count
  %fits = icmp ult i64 %place, %n
  %stores = select i1 %odd, i1 %fits, i1 false
  br i1 %stores, label %store, label %leave

store:
  %to = getelementptr i32, ptr %out, i64 %place
  store i32 %value, ptr %to, align 4
  br label %leave

leave:
  ret void
}
