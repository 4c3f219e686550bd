; What panics for lanes goes where nothing calls it.
; RUN: offloadc %s --run-pass=forget_unused --offload-arch=sm_80 | grep -v "^target"

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
