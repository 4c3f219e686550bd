; The panic of lanes may be removed once the warps are made.
; RUN: offloadc %s --run-pass=release_mask_panic --offload-arch=cpu | grep -v "^target"

define void @offload_lane_panic(i32 %fault, i32 %place, i64 %lane, i64 %other) {
  unreachable
}
;;; stdout
;
; define internal void @offload_lane_panic(i32 %fault, i32 %place, i64 %lane, i64 %other) {
;   unreachable
; }
