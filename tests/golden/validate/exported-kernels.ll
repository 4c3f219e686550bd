; The launcher of an exported kernel passes its arguments only: no mailbox for the host, and no value of a late constant. Other kernels are not refused.
; FAIL: offloadc %s --offload-arch=sm_80 --runtime=none -o o.o
; RUN[runtime]: offloadc %s --offload-arch=sm_80 -o o.o

target triple = "x86_64-unknown-linux-gnu"

@calling = constant <{ ptr, [7 x i8] }> <{ ptr @calls, [7 x i8] c"calling" }>, section ".offload.exports"
@reading = constant <{ ptr, [7 x i8] }> <{ ptr @reads, [7 x i8] c"reading" }>, section ".offload.exports"
@plain = constant <{ ptr, [5 x i8] }> <{ ptr @adds, [5 x i8] c"plain" }>, section ".offload.exports"
@_ZN3app4RATE5value14__OFFLOAD_LATE17h0123456789abcdefE = internal global i32 0, section ".offload.static"

declare i32 @__offload_call_host(i64, ptr, i64, ptr, i64)

define void @calls(ptr %out) {
  %status = call i32 @__offload_call_host(i64 0, ptr null, i64 0, ptr null, i64 0)
  store i32 %status, ptr %out
  ret void
}

define void @reads(ptr %out) {
  %value = load volatile i32, ptr @_ZN3app4RATE5value14__OFFLOAD_LATE17h0123456789abcdefE
  store i32 %value, ptr %out
  ret void
}

define void @adds(ptr %out, i32 %n) {
  store i32 %n, ptr %out
  ret void
}

define ptx_kernel void @k(ptr %out) {
  %status = call i32 @__offload_call_host(i64 0, ptr null, i64 0, ptr null, i64 0)
  store i32 %status, ptr %out
  ret void
}
;;; stderr
; error[OFC0049]: kernel `calls` calls the host, and the launcher of an exported kernel passes arguments only
;   = help: pass buffers to the kernel, and leave the rest to the host
; error[OFC0049]: kernel `reads` reads a `late_const!`, and the launcher of an exported kernel passes arguments only
;   = help: pass buffers to the kernel, and leave the rest to the host
