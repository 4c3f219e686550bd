; Pointers of a kernel are global pointers, and the calling convention is the target's.
; RUN[sm_80]: offloadc %s --offload-arch=sm_80 -O0 --emit=flavor=-
; CHECK[sm_80]: target triple = "nvptx64-nvidia-cuda"
; CHECK[sm_80]: define ptx_kernel void @fill(ptr addrspace(1){{.*}}, i32{{.*}})
; RUN[gfx90a]: offloadc %s --offload-arch=gfx90a -O0 --emit=flavor=-
; CHECK[gfx90a]: target triple = "amdgcn-amd-amdhsa"
; CHECK[gfx90a]: define{{.*}}amdgpu_kernel void @fill(ptr addrspace(1){{.*}}, i32{{.*}})

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @fill(ptr %out, i32 %v) {
  store i32 %v, ptr %out
  ret void
}
