; Structs with integers that the device lacks: their fields keep their places, as bytes from the struct's beginning.
; RUN: offloadc %s --offload-arch=spirv64 -O0 --emit=optimize=-
; CHECK: define spir_kernel void @fill(
; CHECK: alloca [48 x i8], align 16
; CHECK: mul i64 %i, 32
; CHECK: mul i64 %i, 64
; CHECK: add i64 %{{.*}}, 32
; CHECK: mul i64 %j, 16
; CHECK: getelementptr inbounds i8,
; CHECK-NOT: i128

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @fill(ptr %out, i64 %i, i64 %j) {
  %own = alloca { i128, [2 x i128] }, align 16
  %place = getelementptr { i128, [2 x i128] }, ptr %own, i64 0, i32 1, i64 %j
  store volatile i128 1, ptr %place
  %whole = getelementptr inbounds { i128, i128 }, ptr %out, i64 %i
  store i128 7, ptr %whole
  %field = getelementptr inbounds { i8, [15 x i8], i128, [2 x i128] }, ptr %out, i64 %i, i32 3, i64 %j
  store i128 8, ptr %field
  ret void
}
