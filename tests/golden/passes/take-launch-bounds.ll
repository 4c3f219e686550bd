; A call that promises bounds of a launch becomes an attribute of its kernel.
; RUN: offloadc %s --run-pass=take_launch_bounds --kernel=k | grep -v "^target"

declare void @__offload_launch_bounds(i32, i32)

define void @k(ptr %out) {
  call void @__offload_launch_bounds(i32 256, i32 2)
  ret void
}
;;; stdout
;
; declare void @__offload_launch_bounds(i32, i32)
;
; define void @k(ptr %out) #0 {
;   ret void
; }
;
; attributes #0 = { "offload-launch-bounds"="256,2,0,0,0" }
