; Each thread has its own array, which all of them access at the same places: the same elements of all threads are
; adjacent, and an access is one of a vector. A copy is accesses of elements, and four that are stored side by side are
; one store.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@turn.thread.vector(.*{/,/^}/p'
; CHECK: define internal void @turn.thread.vector(
; CHECK: alloca [544 x i8], align 16
; CHECK: lshr <8 x i64>
; CHECK: trunc <8 x i64>
; CHECK: store <8 x i32>
; CHECK: trunc <8 x i64>
; CHECK: store <8 x i32>
; CHECK: load <8 x float>
; CHECK: fadd <8 x float>
; CHECK: store <8 x float>
; CHECK: load <8 x i32>
; CHECK: store <4 x i32>
; CHECK-NOT: memcpy
; CHECK: ret void

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define ptx_kernel void @turn(ptr %from, ptr %to, i64 %n) {
start:
  %own = alloca [8 x [2 x float]], align 8
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %first = getelementptr [8 x [2 x float]], ptr %from, i64 %wide
  %out = getelementptr [8 x [2 x float]], ptr %to, i64 %wide
  call void @llvm.memset.p0.i64(ptr align 8 %own, i8 0, i64 64, i1 false)
  br label %fetch

fetch:
  %i = phi i64 [ 0, %start ], [ %i.next, %fetch ]
  %last = xor i64 %i, 7
  %from.place = getelementptr [2 x float], ptr %first, i64 %last
  %pair = load i64, ptr %from.place, align 4
  %place = getelementptr [2 x float], ptr %own, i64 %i
  store i64 %pair, ptr %place, align 4
  %i.next = add nuw i64 %i, 1
  %fetched = icmp eq i64 %i.next, 8
  br i1 %fetched, label %mix, label %fetch

mix:
  %j = phi i64 [ 0, %fetch ], [ %j.next, %mix ]
  %here = and i64 %j, 7
  %j.next = add nuw i64 %j, 1
  %there = and i64 %j.next, 7
  %one = getelementptr [2 x float], ptr %own, i64 %here
  %other = getelementptr [2 x float], ptr %own, i64 %there
  %imaginary = getelementptr i8, ptr %other, i64 4
  %a = load float, ptr %one, align 4
  %b = load float, ptr %imaginary, align 4
  %sum = fadd float %a, %b
  store float %sum, ptr %one, align 4
  %difference = fsub float %a, %b
  store float %difference, ptr %imaginary, align 4
  %product = fmul float %difference, %sum
  %second = fmul float %product, %sum
  %third = fadd float %second, %difference
  %fourth = fmul float %third, %product
  %fifth = fadd float %fourth, %second
  %sixth = fmul float %fifth, %third
  %seventh = fadd float %sixth, %fourth
  %eighth = fmul float %seventh, %fifth
  %whole = fadd float %eighth, %sixth
  store float %whole, ptr %other, align 4
  %mixed = icmp uge i64 %j.next, %n
  br i1 %mixed, label %leave, label %mix

leave:
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %out, ptr align 8 %own, i64 64, i1 false)
  ret void
}
