; The size of named shared memory is known when the program is compiled.
; RUN: not offloadc -w %s --offload-arch=cpu,sm_80 -o o.o

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_shared_array(ptr, i64, i64)

define internal void @tile() {
  ret void
}

define internal void @fill(i64 %size) noinline {
  %tile = call ptr @__offload_shared_array(ptr @tile, i64 %size, i64 4)
  store i32 1, ptr %tile
  ret void
}

define ptx_kernel void @k(i64 %size) {
  call void @fill(i64 %size)
  ret void
}
;;; stderr
; error[OFC0006]: kernel `k` reaches `__offload_shared_array`, whose arguments are not constants
;   = note: called through `k` → `fill` → `__offload_shared_array`
;   = note: for cpu, sm_80
;   = help: name a function that returns the name of the memory, and give its size and alignment as constants
