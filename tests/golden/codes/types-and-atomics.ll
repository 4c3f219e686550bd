; Types and atomics are refused for the archs that lack them, all in one run; recursion too where there is no stack.
; FAIL: offloadc %s --offload-arch=cpu,sm_80,gfx90a,spirv64 -o out.o

target triple = "x86_64-unknown-linux-gnu"

define internal i32 @fib(i32 %n) noinline {
  %small = icmp ult i32 %n, 2
  br i1 %small, label %end, label %more
more:
  %a = sub i32 %n, 1
  %b = call i32 @fib(i32 %a)
  %c = sub i32 %n, 2
  %d = call i32 @fib(i32 %c)
  %e = add i32 %b, %d
  ret i32 %e
end:
  ret i32 %n
}

define ptx_kernel void @quadruple(ptr %p) {
  %a = load fp128, ptr %p
  %b = fadd fp128 %a, %a
  store fp128 %b, ptr %p
  ret void
}

define ptx_kernel void @wide(ptr %p) {
  %a = cmpxchg ptr %p, i128 1, i128 2 seq_cst seq_cst
  ret void
}

define ptx_kernel void @recursive(ptr %p) {
  %n = load i32, ptr %p
  %v = call i32 @fib(i32 %n)
  store i32 %v, ptr %p
  ret void
}
;;; stderr
; error[OFC0020]: kernel `quadruple` uses the type `fp128`, which the device does not have
;   = note: for sm_80, gfx90a, spirv64
;   = help: use `f32` or `f64` in kernels
; error[OFC0035]: kernel `wide` accesses 16 bytes atomically, and the most is 8
;   = note: for sm_80, gfx90a, spirv64
;   = help: use narrower atomics in kernels
; error[OFC0036]: kernel `recursive` calls `fib`, which is recursive
;   = note: called through `recursive` → `fib`
;   = note: for spirv64
;   = help: turn the recursion into a loop
