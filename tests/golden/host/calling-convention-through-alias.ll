; A kernel that the host calls through an alias, or a pointer, has the calling convention of C there.
; RUN@22: offloadc %s --offload-arch=cpu -O0 --emit=host=- | llvm-objdump -d --no-show-raw-insn --no-leading-addr -r -
; CHECK: <calls>:
; CHECK: callq
; CHECK: other
; CHECK: callq *

target triple = "x86_64-unknown-linux-gnu"

@other = alias void (ptr), ptr @k

define ptx_kernel void @k(ptr %out) {
  ret void
}

define void @calls(ptr %out, ptr %f) {
  call ptx_kernel void @other(ptr %out)
  call ptx_kernel void %f(ptr %out)
  ret void
}
