; Vectors of one element and vectors of wide integers come as bytes in memory: LLVM's back end has no parameters for them.
; RUN[valid]: offloadc %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv
; RUN[all]: offloadc %s --offload-arch=cpu,sm_80,gfx90a -o all.o

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @one_byte(<1 x i8> %a, ptr %out) {
  store <1 x i8> %a, ptr %out
  ret void
}

define ptx_kernel void @one_float(<1 x float> %a, ptr %out) {
  %element = extractelement <1 x float> %a, i32 0
  store float %element, ptr %out
  ret void
}

define ptx_kernel void @one_pointer(<1 x ptr> %a) {
  %pointer = extractelement <1 x ptr> %a, i32 0
  store i32 1, ptr %pointer
  ret void
}

define ptx_kernel void @two_wide(<2 x i128> %a, ptr %out) {
  %sum = add <2 x i128> %a, <i128 1, i128 -1>
  store <2 x i128> %sum, ptr %out
  ret void
}
