; Most threads of a row are not at an edge: their branches are decided before the loop, for a range of x that both
; conditions bound. The first block's first thread and the last thread of the array run the whole code.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@smooth.thread.fast(.*{/,/^}/p;/@smooth.thread.range(.*{/,/^}/p'
; RUN[vector]: offloadc %s -O2 --emit=optimize=- --offload-arch=cpu | grep -c 'store <4 x float>'
; CHECK: define internal void @smooth.thread.fast(
; CHECK-NOT: icmp
; CHECK: fmul float
; CHECK-NOT: br i1
; CHECK: ret void
; CHECK: define internal i64 @smooth.thread.range(

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare i32 @__offload_block_dim_x()

define ptx_kernel void @smooth(ptr noalias readonly %from, ptr noalias %to, i32 %last) {
  %x = call i32 @__offload_thread_id_x()
  %block = call i32 @__offload_block_id_x()
  %dim = call i32 @__offload_block_dim_x()
  %start = mul nuw i32 %block, %dim
  %i = add nuw i32 %start, %x
  %in = icmp ule i32 %i, %last
  br i1 %in, label %there, label %leave

there:
  %wide = zext i32 %i to i64
  %here = getelementptr float, ptr %from, i64 %wide
  %own = load float, ptr %here, align 4
  %out = getelementptr float, ptr %to, i64 %wide
  %first = icmp eq i32 %i, 0
  br i1 %first, label %edge, label %next

next:
  %before = icmp ult i32 %i, %last
  br i1 %before, label %inside, label %edge

inside:
  %l = getelementptr i8, ptr %here, i64 -4
  %left = load float, ptr %l, align 4
  %r = getelementptr i8, ptr %here, i64 4
  %right = load float, ptr %r, align 4
  %both = fadd float %left, %right
  %half = fmul float %both, 0.5
  store float %half, ptr %out, align 4
  br label %leave

edge:
  store float %own, ptr %out, align 4
  br label %leave

leave:
  ret void
}
;;; stdout[vector]
; 2
