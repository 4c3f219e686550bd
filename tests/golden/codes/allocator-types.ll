; `Box` and `Vec` allocate with functions that get bodies by name, so a declaration of another type is refused, on every
; target. A call of another type than the declaration's is valid IR without a meaning.
; FAIL[declared]: offloadc %s --offload-arch=cpu,sm_80,gfx90a,spirv64 -o out.o
; FAIL[defined]: sed 's/^declare float @__rust_alloc.*/define float @__rust_alloc(float %x, i8 %y) { ret float %x }/' %s >in.ll; \
;   offloadc in.ll --offload-arch=cpu,spirv64 -o out.o 2>&1 | head -1
; RUN[right]: sed 's/^declare float @__rust_alloc.*/declare ptr @__rust_alloc(i64, i64)/; /__rust_[dnr]/d' %s >in.ll; \
;   offloadc in.ll --offload-arch=cpu,sm_80,gfx90a,spirv64 -o out.o

target triple = "x86_64-unknown-linux-gnu"

declare float @__rust_alloc(float, i8)
declare void @__rust_dealloc()
declare ptr @__rust_realloc(ptr, i64, i64)
declare i32 @__rust_no_alloc_shim_is_unstable_v2()

define ptx_kernel void @k(ptr %p) {
  %f = call float @__rust_alloc(float 1.0, i8 3)
  store float %f, ptr %p
  call void @__rust_dealloc()
  %r = call ptr @__rust_realloc(ptr %p, i64 8, i64 8)
  %n = call i32 @__rust_no_alloc_shim_is_unstable_v2()
  ret void
}
;;; stderr[declared]
; error[OFC0027]: kernel `k` reaches `__rust_alloc`, declared as `float (float, i8)`, and its type is `ptr (i64, i64)`
;   = note: called through `k` → `__rust_alloc`
;   = note: for cpu, sm_80, gfx90a, spirv64
; error[OFC0027]: kernel `k` reaches `__rust_dealloc`, declared as `void ()`, and its type is `void (ptr, i64, i64)`
;   = note: called through `k` → `__rust_dealloc`
;   = note: for cpu, sm_80, gfx90a, spirv64
; error[OFC0027]: kernel `k` reaches `__rust_realloc`, declared as `ptr (ptr, i64, i64)`, and its type is `ptr (ptr, i64, i64, i64)`
;   = note: called through `k` → `__rust_realloc`
;   = note: for cpu, sm_80, gfx90a, spirv64
; error[OFC0027]: kernel `k` reaches `__rust_no_alloc_shim_is_unstable_v2`, declared as `i32 ()`, and its type is `void ()`
;   = note: called through `k` → `__rust_no_alloc_shim_is_unstable_v2`
;   = note: for cpu, sm_80, gfx90a, spirv64
;;; stdout[defined]
; error[OFC0027]: kernel `k` reaches `__rust_alloc`, declared as `float (float, i8)`, and its type is `ptr (i64, i64)`
