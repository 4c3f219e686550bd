; A name of the device contract that the input declares otherwise, defines or calls otherwise is an error.
; FAIL: offloadc %s --offload-arch=cpu,sm_80 -o %t/o

target triple = "x86_64-unknown-linux-gnu"

@__offload_lane_id = global i32 0
declare float @__offload_thread_id_x()
declare i32 @__offload_thread_id_y()
declare ptr @__offload_is_device(i32)

define void @__offload_sync_threads() {
  ret void
}

define ptx_kernel void @k(ptr %out) {
  %v = call i64 @__offload_thread_id_y()
  store i64 %v, ptr %out
  ret void
}
;;; stderr
; error[OFC0027]: `__offload_thread_id_x` is declared as `float ()`, but its type is `i32 ()`
; error[OFC0027]: `__offload_thread_id_y` is called as `i64 ()`, but its type is `i32 ()`
; error[OFC0027]: `__offload_lane_id` is a function of the device contract, but the input has another symbol of this name
; error[OFC0027]: `__offload_sync_threads` is defined in the input, but only offloadc may define it
; error[OFC0027]: `__offload_is_device` is declared as `ptr (i32)`, but its type is `i1 ()`
