; NVIDIA's assembler accepts the code of operations with a mask.
; RUN: offloadc %s --offload-arch=sm_75-real,sm_80-real --ptxas "$(command -v ptxas)" -o x.o; \
;   offloadc inspect x.o | awk '$3 == "ptx" || $3 == "cubin" { print $1, $3 }'
; REQUIRES: ptxas

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
;;; stdout
; sm_75 cubin
; sm_80 cubin
; halves cubin
; halves cubin
; there cubin
; there cubin
; whole cubin
; whole cubin
; halves cubin
; halves cubin
; there cubin
; there cubin
; whole cubin
; whole cubin
