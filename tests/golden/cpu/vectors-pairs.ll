; Threads that access pairs of floats which do not lie side by side, the second float first: each pair is a number of 64
; bits, and every second element of the vector is a second float.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu --cpu-vectorize=always | sed -n '/@turn.thread.vector(.*{/,/^}/p'
; CHECK: load double
; CHECK: %{{.*}} = shufflevector <16 x float> %{{.*}}, <16 x float> poison, <8 x i32> <i32 1, i32 3,
; CHECK: %{{.*}} = shufflevector <16 x float> %{{.*}}, <16 x float> poison, <8 x i32> <i32 0, i32 2,
; CHECK: fsub <8 x float> %{{.*}}, %{{.*}}
; CHECK: shufflevector <8 x float> %{{.*}}, <8 x float> %{{.*}}, <16 x i32> <i32 8, i32 0, i32 9, i32 1,
; CHECK: store double

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @turn(ptr %from, ptr %to) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %pair = getelementptr [6 x float], ptr %from, i64 %i
  %upper = getelementptr i8, ptr %pair, i64 4
  %b = load float, ptr %upper, align 4
  %a = load float, ptr %pair, align 4
  %difference = fsub float %b, %a
  %quotient = fdiv float %b, %a
  %out = getelementptr [6 x float], ptr %to, i64 %i
  %second = getelementptr i8, ptr %out, i64 4
  store float %difference, ptr %second, align 4
  store float %quotient, ptr %out, align 4
  ret void
}
