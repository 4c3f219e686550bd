; Shared memory is aligned like a kernel's statics: its size is a multiple of the alignment, for the scheduler.
; RUN: offloadc %s -O1 --emit=flavor=- --offload-arch=cpu --kernel=aligned --kernel=small
; CHECK: offload.shared_bytes{{.*}}\80\01\00\00\08\01\00\00
; FAIL[too-much]: sed 's/align 128/align 8192/' %s | offloadc - --offload-arch=cpu -o x.o

target triple = "x86_64-unknown-linux-gnu"

@tile = internal global [260 x i8] undef, section ".offload.shared", align 128
@flag = internal global i32 undef, section ".offload.shared"

define ptx_kernel void @aligned() {
  store volatile i32 1, ptr @tile
  store volatile i32 2, ptr @flag
  ret void
}

define ptx_kernel void @small() {
  store volatile i32 1, ptr @flag
  ret void
}
;;; stderr[too-much]
; error[OFC0020]: shared static `tile` is aligned to 8192 bytes, and the limit is 4096
;   = note: for cpu
