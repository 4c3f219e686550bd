; Code under `if !is_device()` may contain anything.
; CHECK: define{{.*}} void @fill
; CHECK-NOT: os_write
; RUN: offloadc %s --offload-arch=cpu --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

declare i1 @__offload_is_device()
declare i64 @os_write(i32, ptr, i64)

define ptx_kernel void @fill(ptr %out) {
  %device = call i1 @__offload_is_device()
  br i1 %device, label %here, label %host
here:
  store i32 7, ptr %out
  ret void
host:
  %written = call i64 @os_write(i32 1, ptr null, i64 0)
  ret void
}
