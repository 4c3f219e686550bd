; A cross-lane operation in a recursive function, or in one called through a pointer, is refused on the processor, where
; it must be in the kernel; a warp of one lane has no cross-lane operations.
; FAIL: offloadc %s -O0 -o %t/out.o --offload-arch=cpu,sm_80
; RUN[alone]: offloadc %s -O0 -w -o %t/out.o --offload-arch=cpu --cpu-warp-size=1

target triple = "x86_64-unknown-linux-gnu"

declare i1 @__offload_any(i1)
declare i32 @__offload_block_id_x()

define internal void @again(i32 %n) {
  %done = icmp eq i32 %n, 0
  %all = call i1 @__offload_any(i1 %done)
  br i1 %all, label %leave, label %more

more:
  %less = sub i32 %n, 1
  call void @again(i32 %less)
  br label %leave

leave:
  ret void
}

define internal i1 @votes() {
  %any = call i1 @__offload_any(i1 true)
  ret i1 %any
}

define ptx_kernel void @recursive() {
  %n = call i32 @__offload_block_id_x()
  call void @again(i32 %n)
  ret void
}

define ptx_kernel void @indirect(ptr %to) {
  store ptr @votes, ptr %to
  ret void
}

define ptx_kernel void @builtin(ptr %to) {
  store ptr @__offload_any, ptr %to
  ret void
}
;;; stderr
; error[OFC0015]: kernel `recursive` reaches a cross-lane operation in `again`, which is recursive
;   = note: for cpu
;   = help: turn the recursion into a loop
; error[OFC0016]: kernel `indirect` reaches a cross-lane operation in `votes`, which is called through a pointer
;   = note: for cpu
;   = help: call it directly, or make each thread a warp of its own with `--cpu-warp-size=1`
; error[OFC0016]: kernel `builtin` reaches a cross-lane operation in `__offload_any`, which is called through a pointer
;   = note: for cpu
;   = help: call it directly, or make each thread a warp of its own with `--cpu-warp-size=1`
