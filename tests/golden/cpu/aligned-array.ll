; The threads' elements of an array that is aligned to a cache line are adjacent, with the alignment of elements: the
; memory for all threads is not aligned to a cache line.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu:x86-64-v4 --cpu-vectorize=always | \
;   sed -n '/@sum.thread.vector(.*{/,/^}/p' | grep -c '<8 x i64>.*, align 8$'
; CHECK: 12

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_block_size(i32, i32, i32)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define ptx_kernel void @sum(ptr %to, i64 %n) {
start:
  call void @__offload_block_size(i32 64, i32 1, i32 1)
  %own = alloca [8 x i64], align 64
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  call void @llvm.memset.p0.i64(ptr align 64 %own, i8 0, i64 64, i1 false)
  br label %mix

mix:
  %j = phi i64 [ 0, %start ], [ %j.next, %mix ]
  %j.next = add nuw i64 %j, 1
  %here = and i64 %j, 7
  %place = getelementptr [8 x i64], ptr %own, i64 0, i64 %here
  %first = load i64, ptr %own, align 64
  %other = load i64, ptr %place, align 8
  %sum = add i64 %first, %wide
  %mixed = xor i64 %sum, %other
  store i64 %mixed, ptr %place, align 8
  store i64 %sum, ptr %own, align 64
  %done = icmp uge i64 %j.next, %n
  br i1 %done, label %leave, label %mix

leave:
  %out = getelementptr i64, ptr %to, i64 %wide
  %result = load i64, ptr %own, align 64
  store i64 %result, ptr %out, align 8
  ret void
}
