; A call through a pointer compares it with the functions that a static may hold, and their addresses become numbers.
; RUN: offloadc -w %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && spirv-dis k.spv | grep -c OpSwitch

target triple = "x86_64-unknown-linux-gnu"

@chosen = internal global <{ ptr }> <{ ptr @choose }>

define internal float @choose(float %x) noinline {
  %c = fcmp olt float %x, 1.0
  %f = select i1 %c, ptr @half, ptr @twice
  store atomic ptr %f, ptr @chosen monotonic, align 8
  %r = call float %f(float %x)
  ret float %r
}

define internal float @half(float %x) noinline {
  %r = fmul float %x, 5.0e-1
  ret float %r
}

define internal float @twice(float %x) noinline {
  %r = fmul float %x, 2.0
  ret float %r
}

define internal i32 @other(i32 %x) noinline {
  ret i32 %x
}

define ptx_kernel void @k(ptr %out, float %x) {
  %f = load atomic ptr, ptr @chosen monotonic, align 8
  %r = call float %f(float %x)
  store float %r, ptr %out
  ret void
}
;;; stdout
; 1
