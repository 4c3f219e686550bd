; The part of a kernel that fetches a tile with rows of 20 elements. Where eight threads lie in two rows, they execute the
; part in groups of four. If it needs values of any kind from before, each thread is alone. A number that is at least 5
; is that of the first thread and those after it, unless they are less or begin again at 0.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu
; RUN[data]: sed 's/%wide = .*/%wide = load i64, ptr %far/' %s | offloadc -O2 --emit=flavor=- --offload-arch=cpu --cpu-vectorize=always -
; RUN[above]: sed 's/^\(  .t = .*\)%wide/  %b = add i32 %x, -3\n  %m = call i32 @llvm.umax.i32(i32 %b, i32 5)\n  %mw = zext i32 %m to i64\n\1%mw/' %s | offloadc -O2 --emit=flavor=- --offload-arch=cpu --cpu-vectorize=always -
; CHECK: define internal void @fetch.thread.vector(
; CHECK: irregular:
; CHECK: call void @fetch.thread.vector.scalar.0.half.vector(
; CHECK: add i64 %thread{{.*}}, 4
; CHECK: define internal void @fetch.thread.vector.scalar.0.half.vector(
; CHECK: load <4 x i32>
; CHECK[data]: define internal void @fetch.thread.vector(
; CHECK[data]: irregular:
; CHECK[data]: call void @fetch.thread.vector.scalar.0(
; CHECK[data]: add i64 %thread{{.*}}, 1
; CHECK-NOT[data]: load <4 x i32>
; CHECK[above]: define internal void @fetch.thread.vector(
; CHECK[above]: load <8 x i32>
; CHECK[above]: %{{.*}} = add i32 %{{.*}}, 7
; CHECK[above]: icmp uge i32 %{{.*}}, 5
; CHECK[above]: icmp uge i32 %{{.*}}, %{{.*}}
; CHECK[above]: store <8 x i32>

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @fetch(ptr %from, ptr %to, i64 %width) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %far = getelementptr i64, ptr %to, i64 %i
  %wide = zext i32 %x to i64
  %q = udiv i64 %i, 20
  %r = urem i64 %i, 20
  %row = mul i64 %q, %width
  %at = add i64 %row, %r
  %p = getelementptr i32, ptr %from, i64 %at
  %v = load i32, ptr %p, align 4
  %t = getelementptr i32, ptr %to, i64 %wide
  store i32 %v, ptr %t, align 4
  ret void
}
