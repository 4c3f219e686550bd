; Code on which LLVM's back ends for GPUs abort, or which needs a library that no device has, is refused by name.
; FAIL[refused]: offloadc %s --kernel=counts --kernel=reads --kernel=wide --offload-arch=sm_80,gfx90a -o out.o
; RUN[compiled]: offloadc %s --kernel=clears --kernel=chooses --offload-arch=sm_80,gfx90a,spirv64 -o out.o && \
;   offloadc %s --kernel=clears --kernel=chooses --offload-arch=sm_80 --emit=codegen=out.s && \
;   ptxas -arch sm_80 out.s -o out.cubin
; REQUIRES: ptxas

target triple = "x86_64-unknown-linux-gnu"

declare ptr @llvm.objc.retain(ptr)
declare void @llvm.memset.p0.i128(ptr, i8, i128, i1)

@f = ifunc i32 (i32), ptr @resolve

define internal ptr @resolve() {
  ret ptr @g
}

define internal i32 @g(i32 %i) {
  ret i32 %i
}

define void @counts(ptr %p) {
  %v = call ptr @llvm.objc.retain(ptr %p)
  store ptr %v, ptr %p
  ret void
}

define void @reads(ptr %p) {
  %v = va_arg ptr %p, i32
  store i32 %v, ptr %p
  ret void
}

define void @wide(ptr %p) {
  %v = load i129, ptr %p
  %w = add i129 %v, %v
  store i129 %w, ptr %p
  ret void
}

define void @clears(ptr %p, i128 %n) {
  call void @llvm.memset.p0.i128(ptr %p, i8 0, i128 %n, i1 false)
  ret void
}

define void @chooses(ptr %p) {
  %v = call i32 @f(i32 1)
  store i32 %v, ptr %p
  ret void
}
;;; stderr[refused]
; error[OFC0008]: kernel `counts` calls `llvm.objc.retain`, which has no device code
;   = note: for sm_80, gfx90a
;   = help: write it another way in kernels
; error[OFC0008]: kernel `reads` reads a variable argument, which has no device code
;   = note: for sm_80, gfx90a
;   = help: write it another way in kernels
; error[OFC0020]: kernel `wide` uses the type `i129`, which the device does not have
;   = note: for sm_80
;   = help: use an integer of another width in kernels
