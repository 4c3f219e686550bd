; Threads that have read another flag may have returned, and have stored to the addresses of the others' loads: no load
; is one for the block.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | grep -c '^define.*\.load[0-9]*(' || true

target triple = "x86_64-unknown-linux-gnu"

@all = internal global [64 x float] undef, section ".offload.shared"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define ptx_kernel void @parts(ptr %a, ptr %b, ptr %n) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %own = getelementptr float, ptr %a, i64 %i
  %flag = load i32, ptr %n
  %is.low = icmp ne i32 %flag, 0
  br i1 %is.low, label %low, label %high

low:
  call void @__offload_sync_threads()
  %value = load float, ptr %b
  store float %value, ptr %own
  ret void

high:
  store float 2.0, ptr %own
  ret void
}
;;; stdout
; 0
