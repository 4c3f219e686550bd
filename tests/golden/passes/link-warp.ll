; The helper functions of warps are linked into a module with lane operations, and are internal.
; RUN: offloadc %s --run-pass=link_warp --offload-arch=cpu | grep -E "^define "

define void @k(ptr %out) {
  %lane = call i32 @__offload_lane_id()
  %other = call i32 @__offload_shuffle_xor(i32 %lane, i32 1)
  store i32 %other, ptr %out
  ret void
}
declare i32 @__offload_lane_id()
declare i32 @__offload_shuffle_xor(i32, i32)
;;; stdout
; define void @k(ptr %out) {
; define internal i32 @offload.warp.earliest(ptr noalias readonly %states, i64 %count, i32 %floor) #0 {
; define internal i64 @offload.warp.at(ptr noalias readonly %states, i64 %count, i32 %wanted) #0 {
; define internal void @offload.warp.release(ptr noalias %states, i64 %count) #0 {
; define internal void @offload.warp.set(ptr noalias %states, i64 %count, i32 %state) #0 {
; define internal void @offload.warp.shuffle(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, i64 %active, i64 %count, i64 %lanes) #0 {
; define internal void @offload.warp.shuffle_xor(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, i64 %active, i64 %count, i64 %lanes) #0 {
; define internal void @offload.warp.shuffle_up(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, i64 %active, i64 %count, i64 %lanes) #0 {
; define internal void @offload.warp.shuffle_down(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, i64 %active, i64 %count, i64 %lanes) #0 {
; define internal void @offload.warp.ballot(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, i64 %active, i64 %count, i64 %lanes) #0 {
; define internal i64 @offload.warp.votes(ptr noalias readonly %values, i64 %active, i64 %count) #1 {
; define internal void @offload.warp.give(ptr noalias %results, i64 %result, i64 %count) #1 {
; define internal void @offload.warp.any(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, i64 %active, i64 %count, i64 %lanes) #0 {
; define internal void @offload.warp.all(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, i64 %active, i64 %count, i64 %lanes) #0 {
; define internal void @offload.warp.active_mask(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, i64 %active, i64 %count, i64 %lanes) #0 {
; define internal i64 @offload.warp.ready(ptr noalias readonly %masks, i64 %count, i64 %at, i64 %excused) #0 {
; define internal i64 @offload.warp.same(ptr noalias readonly %masks, i64 %count, i64 %mask) #1 {
; define internal void @offload.warp.excuse(ptr noalias %masks, i64 %count, i64 %active) #0 {
; define internal i64 @offload.warp.missing(ptr noalias readonly %masks, i64 %count, i64 %at, i64 %excused, i64 %lane) #0 {
; define internal void @offload.warp.shuffle_sync(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, ptr noalias readonly %masks, i64 %active, i64 %count, i64 %lanes) #0 {
; define internal void @offload.warp.take(ptr noalias readonly %values, ptr noalias %results, ptr noalias readonly %masks, i64 %l, i64 %from) #1 {
; define internal void @offload.warp.shuffle_xor_sync(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, ptr noalias readonly %masks, i64 %active, i64 %count, i64 %lanes) #0 {
; define internal void @offload.warp.shuffle_up_sync(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, ptr noalias readonly %masks, i64 %active, i64 %count, i64 %lanes) #0 {
; define internal void @offload.warp.shuffle_down_sync(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, ptr noalias readonly %masks, i64 %active, i64 %count, i64 %lanes) #0 {
; define internal void @offload.warp.ballot_sync(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, ptr noalias readonly %masks, i64 %active, i64 %count, i64 %lanes) #0 {
; define internal void @offload.warp.any_sync(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, ptr noalias readonly %masks, i64 %active, i64 %count, i64 %lanes) #0 {
; define internal void @offload.warp.all_sync(ptr noalias readonly %values, ptr noalias readonly %arguments, ptr noalias %results, ptr noalias readonly %masks, i64 %active, i64 %count, i64 %lanes) #0 {
