; Shared statics of different kernels overlap; those of one kernel do not, whichever kernels also reach them.
; RUN: offloadc %s -O1 --emit=flavor=- --offload-arch=cpu
; CHECK: offload.shared_bytes{{.*}}\A0\00\00\00\C0\00\00\00
; CHECK: define internal void @first.thread
; CHECK: i64 128
; CHECK: define internal void @second.thread
; CHECK: i64 128

target triple = "x86_64-unknown-linux-gnu"

@both = internal global [128 x i8] undef, section ".offload.shared"
@one = internal global [32 x i8] undef, section ".offload.shared"
@two = internal global [64 x i8] undef, section ".offload.shared"

define ptx_kernel void @first() {
  store volatile i32 1, ptr @both
  store volatile i32 2, ptr @one
  ret void
}

define ptx_kernel void @second() {
  store volatile i32 1, ptr @both
  store volatile i32 2, ptr @two
  ret void
}
