; Arrays of threads whose elements are adjacent, and arrays that remain separate, 64 or 16 bytes for each thread: their
; accesses are not of whole elements, a copy is from one part to another, is volatile, or has an unknown byte, or the
; threads access different places.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu --cpu-vectorize=always | sed -n '/thread.vector(.*{/,/br label/p' | grep -o '@[a-z_]*.thread.vector(\|alloca .* x i8]'

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)

define ptx_kernel void @plain(ptr %from, ptr %to, i64 %n) {
start:
  %own = alloca [16 x i32], align 8
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %first = getelementptr [16 x i32], ptr %from, i64 %i
  br label %fetch

fetch:
  %k = phi i64 [ 0, %start ], [ %k.next, %fetch ]
  %p = getelementptr i32, ptr %first, i64 %k
  %w = load i32, ptr %p, align 4
  %k32 = trunc i64 %k to i32
  %v = xor i32 %w, %k32
  %at = getelementptr i32, ptr %own, i64 %k
  store i32 %v, ptr %at, align 1
  %k.next = add nuw i64 %k, 1
  %fetched = icmp uge i64 %k.next, %n
  br i1 %fetched, label %use, label %fetch

use:
  %more = load i32, ptr %own, align 8
  %place = getelementptr i32, ptr %own, i64 %n
  %r = load i32, ptr %place, align 1
  %sum = xor i32 %r, %more
  %out = getelementptr i32, ptr %to, i64 %i
  store i32 %sum, ptr %out, align 4
  ret void
}

define ptx_kernel void @pair(ptr %from, ptr %to, i64 %n) {
start:
  %own = alloca [16 x i32], align 8
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %first = getelementptr [16 x i32], ptr %from, i64 %i
  br label %fetch

fetch:
  %k = phi i64 [ 0, %start ], [ %k.next, %fetch ]
  %p = getelementptr i32, ptr %first, i64 %k
  %w = load i32, ptr %p, align 4
  %k32 = trunc i64 %k to i32
  %v = xor i32 %w, %k32
  %at = getelementptr i32, ptr %own, i64 %k
  store i32 %v, ptr %at, align 1
  %k.next = add nuw i64 %k, 1
  %fetched = icmp uge i64 %k.next, %n
  br i1 %fetched, label %use, label %fetch

use:
  %both = load i64, ptr %own, align 8
  %more = trunc i64 %both to i32
  %place = getelementptr i32, ptr %own, i64 %n
  %r = load i32, ptr %place, align 1
  %sum = xor i32 %r, %more
  %out = getelementptr i32, ptr %to, i64 %i
  store i32 %sum, ptr %out, align 4
  ret void
}

define ptx_kernel void @boolean(ptr %from, ptr %to, i64 %n) {
start:
  %own = alloca [16 x i8], align 8
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %first = getelementptr [16 x i32], ptr %from, i64 %i
  br label %fetch

fetch:
  %k = phi i64 [ 0, %start ], [ %k.next, %fetch ]
  %p = getelementptr i32, ptr %first, i64 %k
  %w = load i32, ptr %p, align 4
  %k32 = trunc i64 %k to i32
  %v = xor i32 %w, %k32
  %t = trunc i32 %v to i8
  %at = getelementptr i8, ptr %own, i64 %k
  store i8 %t, ptr %at, align 1
  %k.next = add nuw i64 %k, 1
  %fetched = icmp uge i64 %k.next, %n
  br i1 %fetched, label %use, label %fetch

use:
  %bit = load i1, ptr %own, align 8
  %more = zext i1 %bit to i32
  %place = getelementptr i8, ptr %own, i64 %n
  %r = load i8, ptr %place, align 1
  %rw = zext i8 %r to i32
  %sum = xor i32 %rw, %more
  %out = getelementptr i32, ptr %to, i64 %i
  store i32 %sum, ptr %out, align 4
  ret void
}

define ptx_kernel void @odd_bits(ptr %from, ptr %to, i64 %n) {
start:
  %own = alloca [16 x i8], align 8
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %first = getelementptr [16 x i32], ptr %from, i64 %i
  br label %fetch

fetch:
  %k = phi i64 [ 0, %start ], [ %k.next, %fetch ]
  %p = getelementptr i32, ptr %first, i64 %k
  %w = load i32, ptr %p, align 4
  %k32 = trunc i64 %k to i32
  %v = xor i32 %w, %k32
  %t = trunc i32 %v to i8
  %at = getelementptr i8, ptr %own, i64 %k
  store i8 %t, ptr %at, align 1
  %k.next = add nuw i64 %k, 1
  %fetched = icmp uge i64 %k.next, %n
  br i1 %fetched, label %use, label %fetch

use:
  %bits = load i12, ptr %own, align 8
  %more = zext i12 %bits to i32
  %place = getelementptr i8, ptr %own, i64 %n
  %r = load i8, ptr %place, align 1
  %rw = zext i8 %r to i32
  %sum = xor i32 %rw, %more
  %out = getelementptr i32, ptr %to, i64 %i
  store i32 %sum, ptr %out, align 4
  ret void
}

define ptx_kernel void @address(ptr %from, ptr %to, i64 %n) {
start:
  %own = alloca [16 x i32], align 8
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %first = getelementptr [16 x i32], ptr %from, i64 %i
  br label %fetch

fetch:
  %k = phi i64 [ 0, %start ], [ %k.next, %fetch ]
  %p = getelementptr i32, ptr %first, i64 %k
  %w = load i32, ptr %p, align 4
  %k32 = trunc i64 %k to i32
  %v = xor i32 %w, %k32
  %at = getelementptr i32, ptr %own, i64 %k
  store i32 %v, ptr %at, align 1
  %k.next = add nuw i64 %k, 1
  %fetched = icmp uge i64 %k.next, %n
  br i1 %fetched, label %use, label %fetch

use:
  %pointer = load ptr, ptr %own, align 8
  %more = load i32, ptr %pointer, align 4
  %place = getelementptr i32, ptr %own, i64 %n
  %r = load i32, ptr %place, align 1
  %sum = xor i32 %r, %more
  %out = getelementptr i32, ptr %to, i64 %i
  store i32 %sum, ptr %out, align 4
  ret void
}

define ptx_kernel void @within(ptr %from, ptr %to, i64 %n) {
start:
  %own = alloca [16 x i32], align 8
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %first = getelementptr [16 x i32], ptr %from, i64 %i
  br label %fetch

fetch:
  %k = phi i64 [ 0, %start ], [ %k.next, %fetch ]
  %p = getelementptr i32, ptr %first, i64 %k
  %w = load i32, ptr %p, align 4
  %k32 = trunc i64 %k to i32
  %v = xor i32 %w, %k32
  %at = getelementptr i32, ptr %own, i64 %k
  store i32 %v, ptr %at, align 1
  %k.next = add nuw i64 %k, 1
  %fetched = icmp uge i64 %k.next, %n
  br i1 %fetched, label %use, label %fetch

use:
  %second = getelementptr i8, ptr %own, i64 4
  call void @llvm.memmove.p0.p0.i64(ptr %second, ptr %own, i64 32, i1 false)
  %more = load i32, ptr %own, align 8
  %place = getelementptr i32, ptr %own, i64 %n
  %r = load i32, ptr %place, align 1
  %sum = xor i32 %r, %more
  %out = getelementptr i32, ptr %to, i64 %i
  store i32 %sum, ptr %out, align 4
  ret void
}

define ptx_kernel void @any_byte(ptr %from, ptr %to, i64 %n) {
start:
  %own = alloca [16 x i32], align 8
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %first = getelementptr [16 x i32], ptr %from, i64 %i
  br label %fetch

fetch:
  %k = phi i64 [ 0, %start ], [ %k.next, %fetch ]
  %p = getelementptr i32, ptr %first, i64 %k
  %w = load i32, ptr %p, align 4
  %k32 = trunc i64 %k to i32
  %v = xor i32 %w, %k32
  %at = getelementptr i32, ptr %own, i64 %k
  store i32 %v, ptr %at, align 1
  %k.next = add nuw i64 %k, 1
  %fetched = icmp uge i64 %k.next, %n
  br i1 %fetched, label %use, label %fetch

use:
  %byte = trunc i64 %n to i8
  call void @llvm.memset.p0.i64(ptr %own, i8 %byte, i64 32, i1 false)
  %more = load i32, ptr %own, align 8
  %place = getelementptr i32, ptr %own, i64 %n
  %r = load i32, ptr %place, align 1
  %sum = xor i32 %r, %more
  %out = getelementptr i32, ptr %to, i64 %i
  store i32 %sum, ptr %out, align 4
  ret void
}

define ptx_kernel void @volatile_copy(ptr %from, ptr %to, i64 %n) {
start:
  %own = alloca [16 x i32], align 8
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %first = getelementptr [16 x i32], ptr %from, i64 %i
  br label %fetch

fetch:
  %k = phi i64 [ 0, %start ], [ %k.next, %fetch ]
  %p = getelementptr i32, ptr %first, i64 %k
  %w = load i32, ptr %p, align 4
  %k32 = trunc i64 %k to i32
  %v = xor i32 %w, %k32
  %at = getelementptr i32, ptr %own, i64 %k
  store i32 %v, ptr %at, align 1
  %k.next = add nuw i64 %k, 1
  %fetched = icmp uge i64 %k.next, %n
  br i1 %fetched, label %use, label %fetch

use:
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %own, i64 32, i1 true)
  %more = load i32, ptr %own, align 8
  %place = getelementptr i32, ptr %own, i64 %n
  %r = load i32, ptr %place, align 1
  %sum = xor i32 %r, %more
  %out = getelementptr i32, ptr %to, i64 %i
  store i32 %sum, ptr %out, align 4
  ret void
}

define ptx_kernel void @part_copy(ptr %from, ptr %to, i64 %n) {
start:
  %own = alloca [16 x i32], align 8
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %first = getelementptr [16 x i32], ptr %from, i64 %i
  br label %fetch

fetch:
  %k = phi i64 [ 0, %start ], [ %k.next, %fetch ]
  %p = getelementptr i32, ptr %first, i64 %k
  %w = load i32, ptr %p, align 4
  %k32 = trunc i64 %k to i32
  %v = xor i32 %w, %k32
  %at = getelementptr i32, ptr %own, i64 %k
  store i32 %v, ptr %at, align 1
  %k.next = add nuw i64 %k, 1
  %fetched = icmp uge i64 %k.next, %n
  br i1 %fetched, label %use, label %fetch

use:
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %own, i64 30, i1 false)
  %more = load i32, ptr %own, align 8
  %place = getelementptr i32, ptr %own, i64 %n
  %r = load i32, ptr %place, align 1
  %sum = xor i32 %r, %more
  %out = getelementptr i32, ptr %to, i64 %i
  store i32 %sum, ptr %out, align 4
  ret void
}

define ptx_kernel void @between(ptr %from, ptr %to, i64 %n) {
start:
  %own = alloca [16 x i32], align 8
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %first = getelementptr [16 x i32], ptr %from, i64 %i
  br label %fetch

fetch:
  %k = phi i64 [ 0, %start ], [ %k.next, %fetch ]
  %p = getelementptr i32, ptr %first, i64 %k
  %w = load i32, ptr %p, align 4
  %k32 = trunc i64 %k to i32
  %v = xor i32 %w, %k32
  %at = getelementptr i32, ptr %own, i64 %k
  store i32 %v, ptr %at, align 1
  %k.next = add nuw i64 %k, 1
  %fetched = icmp uge i64 %k.next, %n
  br i1 %fetched, label %use, label %fetch

use:
  %odd = getelementptr i8, ptr %own, i64 2
  %more = load i32, ptr %odd, align 2
  %place = getelementptr i32, ptr %own, i64 %n
  %r = load i32, ptr %place, align 1
  %sum = xor i32 %r, %more
  %out = getelementptr i32, ptr %to, i64 %i
  store i32 %sum, ptr %out, align 4
  ret void
}

define ptx_kernel void @half_steps(ptr %from, ptr %to, i64 %n) {
start:
  %own = alloca [16 x i32], align 8
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %first = getelementptr [16 x i32], ptr %from, i64 %i
  br label %fetch

fetch:
  %k = phi i64 [ 0, %start ], [ %k.next, %fetch ]
  %p = getelementptr i32, ptr %first, i64 %k
  %w = load i32, ptr %p, align 4
  %k32 = trunc i64 %k to i32
  %v = xor i32 %w, %k32
  %at = getelementptr i32, ptr %own, i64 %k
  store i32 %v, ptr %at, align 1
  %k.next = add nuw i64 %k, 1
  %fetched = icmp uge i64 %k.next, %n
  br i1 %fetched, label %use, label %fetch

use:
  %odd = getelementptr i16, ptr %own, i64 %n
  %more = load i32, ptr %odd, align 2
  %place = getelementptr i32, ptr %own, i64 %n
  %r = load i32, ptr %place, align 1
  %sum = xor i32 %r, %more
  %out = getelementptr i32, ptr %to, i64 %i
  store i32 %sum, ptr %out, align 4
  ret void
}

define ptx_kernel void @places(ptr %from, ptr %to, i64 %n) {
start:
  %own = alloca [16 x i32], align 8
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %first = getelementptr [16 x i32], ptr %from, i64 %i
  br label %fetch

fetch:
  %k = phi i64 [ 0, %start ], [ %k.next, %fetch ]
  %p = getelementptr i32, ptr %first, i64 %k
  %w = load i32, ptr %p, align 4
  %k32 = trunc i64 %k to i32
  %v = xor i32 %w, %k32
  %at = getelementptr i32, ptr %own, i64 %k
  store i32 %v, ptr %at, align 1
  %k.next = add nuw i64 %k, 1
  %fetched = icmp uge i64 %k.next, %n
  br i1 %fetched, label %use, label %fetch

use:
  %odd = getelementptr i32, ptr %own, i64 %i
  %more = load i32, ptr %odd, align 4
  %place = getelementptr i32, ptr %own, i64 %n
  %r = load i32, ptr %place, align 1
  %sum = xor i32 %r, %more
  %out = getelementptr i32, ptr %to, i64 %i
  store i32 %sum, ptr %out, align 4
  ret void
}
;;; stdout
; @plain.thread.vector(
; alloca [544 x i8]
; @pair.thread.vector(
; alloca [544 x i8]
; @boolean.thread.vector(
; alloca [136 x i8]
; @odd_bits.thread.vector(
; alloca [128 x i8]
; @address.thread.vector(
; alloca [512 x i8]
; @within.thread.vector(
; alloca [512 x i8]
; @any_byte.thread.vector(
; alloca [512 x i8]
; @volatile_copy.thread.vector(
; alloca [512 x i8]
; @part_copy.thread.vector(
; alloca [512 x i8]
; @between.thread.vector(
; alloca [512 x i8]
; @half_steps.thread.vector(
; alloca [512 x i8]
; @places.thread.vector(
; alloca [512 x i8]
