; Operations with a mask name the lanes that they wait for. NVIDIA's GPUs have instructions that wait, since sm_70 wherever
; the lanes are; before, and on AMD's, the lanes that are there are compared with the mask first. Each lane checks
; whether it is in its mask, unless the mask is a constant that has all.
; RUN[sm_80]: offloadc %s --offload-arch=sm_80 --emit=codegen=-
; CHECK[sm_80]: .entry halves(
; CHECK-NOT[sm_80]: activemask
; CHECK[sm_80]: shfl.sync.bfly.b32
; CHECK[sm_80]: selp.b32
; CHECK[sm_80]: .entry whole(
; CHECK-NOT[sm_80]: panic
; CHECK[sm_80]: bar.warp.sync -1;
; CHECK[sm_80]: vote.sync.ballot.b32 %r{{.*}}, -1;
; CHECK[sm_80]: ret;
; CHECK[sm_80]: .entry there(
; CHECK[sm_80]: activemask.b32
; RUN[sm_60]: offloadc %s --offload-arch=sm_60 --emit=codegen=-
; CHECK[sm_60]: .version 6.2
; CHECK[sm_60]: .entry halves(
; CHECK[sm_60]: activemask.b32
; CHECK[sm_60]: shfl.sync.bfly.b32
; RUN[gfx90a]: offloadc %s --offload-arch=gfx90a --emit=flavor=-
; CHECK[gfx90a]: define internal i32 @__offload_shuffle_xor_sync(i64 %0, i32 %1, i32 %2)
; CHECK[gfx90a]: call i32 @llvm.amdgcn.ds.bpermute(
; CHECK[gfx90a]: %named = trunc i64 %
; CHECK[gfx90a]: select i1 %named, i32 %
; CHECK[gfx90a]: define internal i64 @__offload_ballot_sync(i64 %0, i1 {{.*}}%1)
; CHECK[gfx90a]: call i64 @llvm.amdgcn.ballot.i64(i1 %1)
; CHECK[gfx90a]: and i64 %{{.*}}, %0
; CHECK[gfx90a]: define internal void @__offload_sync_warp(
; CHECK[gfx90a]: fence syncscope("wavefront") release
; CHECK[gfx90a]: call void @llvm.amdgcn.wave.barrier()
; CHECK[gfx90a]: fence syncscope("wavefront") acquire

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_lane_id()
declare i64 @__offload_active_mask()
declare i32 @__offload_shuffle_xor_sync(i64, i32, i32)
declare i64 @__offload_ballot_sync(i64, i1 zeroext)
declare void @__offload_sync_warp(i64)

define ptx_kernel void @halves(ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %lane = call i32 @__offload_lane_id()
  %half = and i32 %lane, 16
  %wide = zext i32 %half to i64
  %mask = shl i64 65535, %wide
  %other = call i32 @__offload_shuffle_xor_sync(i64 %mask, i32 %x, i32 1)
  %place = getelementptr i32, ptr %out, i32 %x
  store i32 %other, ptr %place
  ret void
}

define ptx_kernel void @whole(ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %odd = trunc i32 %x to i1
  call void @__offload_sync_warp(i64 -1)
  %votes = call i64 @__offload_ballot_sync(i64 -1, i1 zeroext %odd)
  %place = getelementptr i64, ptr %out, i32 %x
  store i64 %votes, ptr %place
  ret void
}

define ptx_kernel void @there(ptr %out) {
  %mask = call i64 @__offload_active_mask()
  store i64 %mask, ptr %out
  ret void
}
