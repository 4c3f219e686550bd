; The panic of lanes is kept until the warps that call it are made.
; RUN: offloadc %s --run-pass=keep_mask_panic --offload-arch=cpu | grep -v "^target"

define internal void @offload_lane_panic(i32 %fault, i32 %place, i64 %lane, i64 %other) {
  unreachable
}
;;; stdout
;
; define dso_local void @offload_lane_panic(i32 %fault, i32 %place, i64 %lane, i64 %other) {
;   unreachable
; }
