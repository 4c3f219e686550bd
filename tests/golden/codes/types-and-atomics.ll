; Types and atomics are refused for the archs that lack them, all in one run.
; FAIL: offloadc %s --offload-arch=cpu,sm_80,gfx90a,spirv64 -o out.o

target triple = "x86_64-unknown-linux-gnu"

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
;;; stderr
; error[OFC0020]: kernel `quadruple` uses the type `fp128`, which the device does not have
;   = note: for sm_80, gfx90a, spirv64
;   = help: use `f32` or `f64` in kernels
; error[OFC0035]: kernel `wide` accesses 16 bytes atomically, and the limit is 8
;   = note: for sm_80, gfx90a, spirv64
;   = help: use narrower atomics in kernels
