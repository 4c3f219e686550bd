; Several threads compute a sine together, although two kernels call the function: the only remaining call is to the
; crate's own function for huge numbers. The branch to it is rare, because the function is cold, and does not keep the
; threads from being executed together.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@sines.thread.fast.vector(.*{/,/^}/p'
; RUN[maxima]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@maxima.thread.fast.vector(.*{/,/^}/p'
; CHECK: fmul <8 x double>
; CHECK: select <8 x i1>
; CHECK[maxima]: fcmp ogt <8 x float>

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare float @llvm.sin.f32(float)
declare float @llvm.maxnum.f32(float, float)

define ptx_kernel void @sines(ptr %a, ptr %out, i64 %width) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %in = icmp ult i64 %i, %width
  br i1 %in, label %start, label %leave

start:
  %from = getelementptr float, ptr %a, i64 %i
  %angle = load float, ptr %from, align 4
  %first = call float @llvm.sin.f32(float %angle)
  %second = call float @llvm.sin.f32(float %first)
  %to = getelementptr float, ptr %out, i64 %i
  store float %second, ptr %to, align 4
  br label %leave

leave:
  ret void
}

define ptx_kernel void @more(ptr %a, ptr %out) {
  %angle = load float, ptr %a, align 4
  %first = call float @llvm.sin.f32(float %angle)
  %second = call float @llvm.sin.f32(float %first)
  store float %second, ptr %out, align 4
  ret void
}

; A maximum has no branch.
define ptx_kernel void @maxima(ptr %a, ptr %out, i64 %width, i64 %n) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %in = icmp ult i64 %i, %width
  br i1 %in, label %start, label %leave

start:
  %some = icmp ne i64 %n, 0
  br i1 %some, label %loop, label %leave

loop:
  %k = phi i64 [ 0, %start ], [ %next, %loop ]
  %largest = phi float [ 0xFFF0000000000000, %start ], [ %more, %loop ]
  %row = mul i64 %k, %width
  %place = add i64 %row, %i
  %from = getelementptr float, ptr %a, i64 %place
  %value = load float, ptr %from, align 4
  %more = call float @llvm.maxnum.f32(float %largest, float %value)
  %next = add i64 %k, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end

end:
  %to = getelementptr float, ptr %out, i64 %i
  store float %more, ptr %to, align 4
  br label %leave

leave:
  ret void
}
