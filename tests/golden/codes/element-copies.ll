; LLVM calls library functions for copies in atomic elements, and no device has them.
; FAIL: offloadc %s --offload-arch=cpu,sm_80,gfx90a,spirv64 -o out.o
; The same with a name from Rust.
; FAIL[named]: sed 's/@llvm/@__offload_intrinsic.llvm/' %s > named.ll && \
;   offloadc named.ll --offload-arch=cpu,sm_80,gfx90a,spirv64 -o out.o

target triple = "x86_64-unknown-linux-gnu"

declare i64 @__offload_kernel(ptr)
declare void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr, ptr, i64, i32)

define void @copies(ptr %to, ptr %from, i64 %n) {
  call void @llvm.memcpy.element.unordered.atomic.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 %n, i32 4)
  ret void
}

define void @launch() {
  %h = call i64 @__offload_kernel(ptr @copies)
  ret void
}
;;; stderr
; error[OFC0008]: kernel `copies` calls `llvm.memcpy.element.unordered.atomic.p0.p0.i64`, which has no device code
;   = note: for cpu, sm_80, gfx90a, spirv64
;   = help: write it another way in kernels
;;; stderr[named]
; error[OFC0008]: kernel `copies` calls `llvm.memcpy.element.unordered.atomic.p0.p0.i64`, which has no device code
;   = note: for cpu, sm_80, gfx90a, spirv64
;   = help: write it another way in kernels
