; A function with variable arguments is refused, be it declared or defined.
; FAIL: offloadc %s --offload-arch=cpu,sm_80,gfx90a,spirv64 -o out.o

target triple = "x86_64-unknown-linux-gnu"

declare i32 @outside(ptr, ...)

define internal i32 @inside(i32 %count, ...) noinline {
  ret i32 %count
}

define ptx_kernel void @k(ptr %p) {
  %a = call i32 (ptr, ...) @outside(ptr %p, i32 1)
  %b = call i32 (i32, ...) @inside(i32 %a, i32 2)
  store i32 %b, ptr %p
  ret void
}
;;; stderr
; error[OFC0019]: kernel `k` reaches `outside`, which takes variable arguments
;   = note: called through `k` → `outside`
;   = note: for cpu, sm_80, gfx90a, spirv64
;   = help: pass a slice or a struct instead
