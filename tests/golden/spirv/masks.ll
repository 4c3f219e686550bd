; An operation with a mask acts on the active lanes, which a ballot determines first: votes are ballots, because those
; of a subgroup need all of its lanes, and a lane whose mask has an absent lane leaves with a panic. In a subgroup of
; one lane there is no ballot.
; RUN[flavor]: offloadc %s --offload-arch=spirv64 --emit=flavor=-
; CHECK[flavor]: define spir_kernel void @halves(
; CHECK[flavor]: %named = and i64 %{{.*}}, %
; CHECK[flavor]: %missing = and i64 %named
; CHECK[flavor]: call spir_func i32 @_Z17sub_group_shufflejj(
; CHECK-NOT[flavor]: sub_group_any
; CHECK[flavor]: br i1 %{{.*}}, label %{{.*}}, label %several
; CHECK[flavor]: call spir_func <4 x i32> @_Z16sub_group_balloti(
; CHECK[flavor]: ret void
; RUN[codegen]: offloadc %s --offload-arch=spirv64 --emit=codegen=- | grep -o -w -e 'OpGroupNonUniform[A-Z][a-z]*' -e 'OpMemoryBarrier' | sort -u
; RUN[valid]: offloadc %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_lane_id()
declare i32 @__offload_shuffle_xor_sync(i64, i32, i32)
declare zeroext i1 @__offload_any_sync(i64, i1 zeroext)
declare void @__offload_sync_warp(i64)

define ptx_kernel void @halves(ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %lane = call i32 @__offload_lane_id()
  %half = and i32 %lane, 16
  %wide = zext i32 %half to i64
  %mask = shl i64 65535, %wide
  %other = call i32 @__offload_shuffle_xor_sync(i64 %mask, i32 %x, i32 1)
  %large = icmp ugt i32 %other, 100
  %any = call i1 @__offload_any_sync(i64 %mask, i1 %large)
  call void @__offload_sync_warp(i64 %mask)
  %result = select i1 %any, i32 %other, i32 0
  %place = getelementptr i32, ptr %out, i32 %x
  store i32 %result, ptr %place
  ret void
}
;;; stdout[codegen]
; OpGroupNonUniformBallot
; OpGroupNonUniformShuffle
; OpMemoryBarrier
