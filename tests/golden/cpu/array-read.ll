; A short loop that only reads a small array of the thread is unrolled before threads are executed together: the array
; becomes values in vectors, and no element is gathered. The elements of `centres` are the same in all threads.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/^define.*@nearest.thread.*vector(/,/^}/p'
; CHECK: define internal void @nearest.thread
; CHECK-NOT: alloca [4 x float]
; CHECK: fsub <8 x float>
; CHECK: fsub <8 x float>
; CHECK: fsub <8 x float>
; CHECK: fsub <8 x float>
; CHECK-NOT: alloca [4 x float]
; CHECK: ret void

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define ptx_kernel void @nearest(ptr noalias readonly %points, ptr noalias readonly %centres, ptr noalias %to, i64 %n) {
  %point = alloca [4 x float], align 4
  %centre = alloca [4 x float], align 4
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %own = getelementptr [4 x float], ptr %points, i64 %i
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %point, ptr align 4 %own, i64 16, i1 false)
  %some = icmp ne i64 %n, 0
  br i1 %some, label %outer, label %leave

outer:
  %k = phi i64 [ 0, %0 ], [ %next, %last ]
  %best = phi float [ 1.0e30, %0 ], [ %less, %last ]
  %other = getelementptr [4 x float], ptr %centres, i64 %k
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %centre, ptr align 4 %other, i64 16, i1 false)
  br label %inner

inner:
  %axis = phi i64 [ 0, %outer ], [ %axis.next, %inner ]
  %sum = phi float [ 0.0, %outer ], [ %more, %inner ]
  %p = getelementptr [4 x float], ptr %point, i64 0, i64 %axis
  %c = getelementptr [4 x float], ptr %centre, i64 0, i64 %axis
  %a = load float, ptr %p, align 4
  %b = load float, ptr %c, align 4
  %d = fsub float %a, %b
  %square = fmul float %d, %d
  %more = fadd float %sum, %square
  %axis.next = add nuw nsw i64 %axis, 1
  %again = icmp ult i64 %axis.next, 4
  br i1 %again, label %inner, label %last

last:
  %is.less = fcmp olt float %more, %best
  %less = select i1 %is.less, float %more, float %best
  %next = add nuw i64 %k, 1
  %go = icmp ult i64 %next, %n
  br i1 %go, label %outer, label %end

end:
  %place = getelementptr float, ptr %to, i64 %i
  store float %less, ptr %place, align 4
  br label %leave

leave:
  ret void
}
