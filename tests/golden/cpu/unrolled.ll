; The checks of a short loop in a loop become those of the outer one, and are decided for all rows of a block: the inner
; loop is unrolled first, also if its checks share the block where a thread panics.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@filter.thread.fast(.*{/,/^}/p;/@filter.thread.whole(.*{/,/^}/p'
; CHECK: define internal void @filter.thread.fast(
; CHECK-NOT: icmp ult
; CHECK: ret void
; CHECK: define internal i1 @filter.thread.whole(

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare i32 @__offload_block_dim_x()
declare void @__offload_panic(i32, i32, i64, i64, i64)

define ptx_kernel void @filter(i64 noundef %points, i64 noundef %weights, ptr noalias readonly %from, ptr noalias readonly %by, ptr noalias %to) {
start:
  %x = call i32 @__offload_thread_id_x()
  %block = call i32 @__offload_block_id_x()
  %dim = call i32 @__offload_block_dim_x()
  %first = mul i32 %block, %dim
  %i = add i32 %first, %x
  %wide = zext i32 %i to i64
  br label %outer

outer:
  %dy = phi i64 [ 0, %start ], [ %dy.next, %behind ]
  %sum.outer = phi i32 [ 0, %start ], [ %sum.next, %behind ]
  %row = mul nuw nsw i64 %dy, 84
  %here = add nuw nsw i64 %row, %wide
  %taps = mul nuw nsw i64 %dy, 3
  br label %inner

inner:
  %dx = phi i64 [ 0, %outer ], [ %dx.next, %next ]
  %sum = phi i32 [ %sum.outer, %outer ], [ %sum.next, %next ]
  %tap = add nuw nsw i64 %taps, %dx
  %has.tap = icmp ult i64 %tap, %weights
  br i1 %has.tap, label %second, label %no.tap

second:
  %at = add nuw nsw i64 %here, %dx
  %has.point = icmp ult i64 %at, %points
  br i1 %has.point, label %next, label %no.point

next:
  %weight.at = getelementptr i32, ptr %by, i64 %tap
  %weight = load i32, ptr %weight.at, align 4
  %point.at = getelementptr i32, ptr %from, i64 %at
  %point = load i32, ptr %point.at, align 4
  %product = mul i32 %weight, %point
  %sum.next = xor i32 %sum, %product
  %dx.next = add nuw nsw i64 %dx, 1
  %inner.ends = icmp eq i64 %dx.next, 3
  br i1 %inner.ends, label %behind, label %inner

behind:
  %dy.next = add nuw nsw i64 %dy, 1
  %outer.ends = icmp eq i64 %dy.next, 64
  br i1 %outer.ends, label %leave, label %outer

leave:
  %out = getelementptr i32, ptr %to, i64 %wide
  store i32 %sum.next, ptr %out, align 4
  ret void

no.tap:
  call void @__offload_panic(i32 1, i32 1, i64 %tap, i64 %weights, i64 0)
  unreachable

no.point:
  call void @__offload_panic(i32 1, i32 2, i64 %at, i64 %points, i64 0)
  unreachable
}
