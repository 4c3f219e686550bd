; A block kernel reads its struct from kernel-argument memory.
; RUN[sm_80]: offloadc %s --offload-arch=sm_80 --emit=codegen=-
; CHECK[sm_80]: .param .align 8 .b8 block_param_0[16]
; CHECK-NOT[sm_80]: st.local
; RUN[gfx90a]: offloadc %s --offload-arch=gfx90a --emit=flavor=-
; CHECK[gfx90a]: define{{.*}}amdgpu_kernel void @block(ptr addrspace(4){{.*}}byref([16 x i8]) align 8

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_kernel_block(ptr, i64, i64)

define internal void @block(ptr %arguments) {
  %at = getelementptr i8, ptr %arguments, i64 8
  %out = load ptr, ptr %arguments
  %v = load i32, ptr %at
  store i32 %v, ptr %out
  ret void
}

define ptr @handle() {
  %handle = call ptr @__offload_kernel_block(ptr @block, i64 16, i64 8)
  ret ptr %handle
}
