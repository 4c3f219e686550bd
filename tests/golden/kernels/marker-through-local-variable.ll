; The function of a marker call is found through unoptimised code: locals, casts, phis, statics.
; RUN: offloadc %s --offload-arch=cpu --emit=kernels=-

target triple = "x86_64-unknown-linux-gnu"

@chosen = private constant <{ ptr, [8 x i8] }> <{ ptr @d, [8 x i8] undef }>
declare i64 @__offload_kernel(ptr)
declare ptr @__offload_kernel_block(ptr, i64, i64)
declare void @llvm.lifetime.start.p0(ptr)

define internal void @a() { ret void }
define internal void @b() { ret void }
define internal void @c(ptr %arguments) { ret void }
define internal void @d() { ret void }

define void @main(i1 %which) {
  %slot = alloca ptr
  %size = alloca i64
  call void @llvm.lifetime.start.p0(ptr %slot)
  store ptr @a, ptr %slot
  %one = load ptr, ptr %slot
  %h1 = call i64 @__offload_kernel(ptr %one)
  br i1 %which, label %then, label %end
then:
  br label %end
end:
  %two = phi ptr [ @b, %0 ], [ @b, %then ]
  %h2 = call i64 @__offload_kernel(ptr %two)
  store i64 24, ptr %size
  %bytes = load i64, ptr %size
  %h3 = call ptr @__offload_kernel_block(ptr @c, i64 %bytes, i64 8)
  %four = load ptr, ptr @chosen
  %h4 = call i64 @__offload_kernel(ptr %four)
  ret void
}
;;; stdout
; a (a): plain, found by a marker call
; b (b): plain, found by a marker call
; d (d): plain, found by a marker call
; c (c): block, found by a marker call
;   0: block at 0, 24 bytes, aligned to 8
