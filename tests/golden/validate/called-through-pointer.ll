; The call path to code that a device cannot run leaves out the function that chooses the callee by a pointer.
; RUN: not offloadc -w %s --offload-arch=spirv64 -o o.o

target triple = "x86_64-unknown-linux-gnu"

@cell = internal global fp128 zeroinitializer
@chosen = internal global ptr @half

define internal float @half(float %x) noinline {
  %w = load volatile fp128, ptr @cell
  %r = fptrunc fp128 %w to float
  ret float %r
}

define internal float @twice(float %x) noinline {
  %r = fmul float %x, 2.0
  ret float %r
}

define internal void @set(i1 %c) noinline {
  %f = select i1 %c, ptr @half, ptr @twice
  store atomic ptr %f, ptr @chosen monotonic, align 8
  ret void
}

define ptx_kernel void @k(ptr %out, float %x, i1 %c) {
  call void @set(i1 %c)
  %f = load atomic ptr, ptr @chosen monotonic, align 8
  %r = call float %f(float %x)
  store float %r, ptr %out
  ret void
}
;;; stderr
; error[OFC0020]: kernel `k` uses the type `fp128`, which the device does not have
;   = note: called through `k` → `half`
;   = note: for spirv64
;   = help: use `f32` or `f64` in kernels
