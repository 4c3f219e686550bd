; A barrier in a recursive function, or in one called through a pointer, is refused: all errors in one run.
; FAIL: offloadc %s -O0 -o %t/out.o --offload-arch=cpu,sm_80

target triple = "x86_64-unknown-linux-gnu"

declare void @__offload_sync_threads()
declare i32 @__offload_block_id_x()

define internal void @again(i32 %n) {
  call void @__offload_sync_threads()
  %done = icmp eq i32 %n, 0
  br i1 %done, label %leave, label %more

more:
  %less = sub i32 %n, 1
  call void @again(i32 %less)
  br label %leave

leave:
  ret void
}

define internal void @waits() {
  call void @__offload_sync_threads()
  ret void
}

define ptx_kernel void @recursive() {
  %n = call i32 @__offload_block_id_x()
  call void @again(i32 %n)
  ret void
}

define ptx_kernel void @indirect(ptr %to) {
  store ptr @waits, ptr %to
  ret void
}
;;; stderr
; error[OFC0015]: kernel `recursive` reaches a barrier in `again`, which is recursive
;   = note: for cpu, sm_80
;   = help: turn the recursion into a loop
; error[OFC0016]: kernel `indirect` reaches a barrier in `waits`, which is called through a pointer
;   = note: for cpu, sm_80
;   = help: call it directly, so that offloadc can check that all threads reach it
