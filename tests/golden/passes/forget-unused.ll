; The panic of lanes is removed if nothing calls it, and stays if something does.
; RUN: offloadc %s --run-pass=forget_unused --offload-arch=sm_80 | grep -v "^target"
; RUN[used]: sed 's/^  ret void/  call void @offload_lane_panic(i32 0, i32 0, i64 0, i64 0)\n&/' %s >used.ll && \
;   offloadc used.ll --run-pass=forget_unused --offload-arch=sm_80 | grep -v "^target"

define internal void @offload_lane_panic(i32 %fault, i32 %place, i64 %lane, i64 %other) {
  unreachable
}

define void @f() {
  ret void
}
;;; stdout
;
; define void @f() {
;   ret void
; }
;;; stdout[used]
;
; define internal void @offload_lane_panic(i32 %fault, i32 %place, i64 %lane, i64 %other) {
;   unreachable
; }
;
; define void @f() {
;   call void @offload_lane_panic(i32 0, i32 0, i64 0, i64 0)
;   ret void
; }
