; A call that promises bounds of a launch becomes an attribute of its kernel. The same promise may be made again, and both
; kinds of promises may be made together.
; RUN: offloadc %s --run-pass=take_launch_bounds --kernel=k --kernel=sized --kernel=most | grep -v "^target"

declare void @__offload_launch_bounds(i32, i32)

define void @k(ptr %out) {
  call void @__offload_launch_bounds(i32 256, i32 2)
  ret void
}

declare void @__offload_block_size(i32, i32, i32)

define void @sized(ptr %out) {
  call void @__offload_block_size(i32 16, i32 8, i32 1)
  call void @__offload_launch_bounds(i32 128, i32 0)
  call void @__offload_block_size(i32 16, i32 8, i32 1)
  call void @__offload_launch_bounds(i32 128, i32 0)
  ret void
}

define void @most(ptr %out) {
  call void @__offload_launch_bounds(i32 1024, i32 65535)
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
; declare void @__offload_block_size(i32, i32, i32)
;
; define void @sized(ptr %out) #1 {
;   ret void
; }
;
; define void @most(ptr %out) #2 {
;   ret void
; }
;
; attributes #0 = { "offload-launch-bounds"="256,2,0,0,0" }
; attributes #1 = { "offload-launch-bounds"="128,0,16,8,1" }
; attributes #2 = { "offload-launch-bounds"="1024,65535,0,0,0" }
