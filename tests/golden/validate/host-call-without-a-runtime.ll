; Only offloadc's own runtimes answer calls of the host.
; FAIL: offloadc %s --offload-arch=sm_80 --runtime=cuda -o o.o

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_call_host(i64, ptr, i64, ptr, i64)

define ptx_kernel void @k(ptr %out) {
  %status = call i32 @__offload_call_host(i64 0, ptr null, i64 0, ptr null, i64 0)
  store i32 %status, ptr %out
  ret void
}
;;; stderr
; error[OFC0049]: kernel `k` calls the host, and a launch with `--runtime=cuda` passes arguments only
;   = help: use `--runtime=offloadrt`
