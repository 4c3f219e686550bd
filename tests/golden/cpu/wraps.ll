; The edges of a field meet: the neighbour of the first column is the last one. In the range of x without such a wrap,
; the indices and their checks increase with x. The first and the last column run the whole code.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@ring.thread.fast(.*{/,/^}/p;/@ring.thread.whole(.*{/,/^}/p'
; RUN[vector]: offloadc %s -O2 --emit=optimize=- --offload-arch=cpu | grep -c 'load <4 x float>'
; CHECK: define internal void @ring.thread.fast(
; CHECK-NOT: select
; CHECK-NOT: icmp
; CHECK: ret void
; CHECK: define internal i1 @ring.thread.whole(

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare i32 @__offload_block_dim_x()
declare void @__offload_panic(i32, i32, i64, i64, i64)

define ptx_kernel void @ring(ptr noalias readonly %from, i64 %len, ptr noalias %to, i64 %width) {
  %x = call i32 @__offload_thread_id_x()
  %block = call i32 @__offload_block_id_x()
  %dim = call i32 @__offload_block_dim_x()
  %start = mul nuw i32 %block, %dim
  %i = add nuw i32 %start, %x
  %wide = zext i32 %i to i64
  %in = icmp ult i64 %wide, %width
  br i1 %in, label %there, label %leave

there:
  %first = icmp eq i32 %i, 0
  %before = select i1 %first, i64 %width, i64 %wide
  %west = add i64 %before, -1
  %behind = add nuw i64 %wide, 1
  %last = icmp eq i64 %behind, %width
  %east = select i1 %last, i64 0, i64 %behind
  %has.west = icmp ult i64 %west, %len
  br i1 %has.west, label %next, label %panic

next:
  %has.east = icmp ult i64 %east, %len
  br i1 %has.east, label %sum, label %panic

sum:
  %west.at = getelementptr float, ptr %from, i64 %west
  %a = load float, ptr %west.at, align 4
  %east.at = getelementptr float, ptr %from, i64 %east
  %b = load float, ptr %east.at, align 4
  %both = fadd float %a, %b
  %out = getelementptr float, ptr %to, i64 %wide
  store float %both, ptr %out, align 4
  br label %leave

panic:
  call void @__offload_panic(i32 0, i32 0, i64 0, i64 0, i64 0)
  unreachable

leave:
  ret void
}
;;; stdout[vector]
; 4
