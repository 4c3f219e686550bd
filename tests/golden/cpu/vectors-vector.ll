; Each thread computes with vectors: its operations are not on scalars, so their cost is not known.
; RUN: offloadc %s --emit=flavor=- --offload-arch=cpu --cpu-vectorize=auto | grep -o 'xor <4 x i32>.*'
; CHECK: xor <4 x i32>

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @flip(ptr %x, ptr %y) {
  %id = call i32 @__offload_thread_id_x()
  %i = zext i32 %id to i64
  %from = getelementptr i32, ptr %x, i64 %i
  %to = getelementptr <4 x i32>, ptr %y, i64 %i
  %one = load i32, ptr %from
  %some = insertelement <4 x i32> zeroinitializer, i32 %one, i64 0
  %all = load <4 x i32>, ptr %to
  %flipped = xor <4 x i32> %all, <i32 -1, i32 -1, i32 -1, i32 -1>
  %kept = and <4 x i32> %flipped, %some
  store <4 x i32> %kept, ptr %to
  ret void
}
