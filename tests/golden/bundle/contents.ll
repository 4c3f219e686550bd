; A container has an entry for each image with its arch. The entry of the cpu device has no bytes, and none has kernels.
; RUN: offloadc %s --offload-arch=cpu,sm_80,gfx90a,spirv64 --emit=bundle=b && offloadc inspect b | \
;   awk 'NR == 1; NR > 4 && NR < 9 { $4 = ($4 > 0); print }'
; RUN[order]: offloadc %s --offload-arch=spirv64,gfx90a,cpu,sm_80 --emit=bundle=a && \
;   offloadc %s --offload-arch=cpu,sm_80,gfx90a,spirv64 --emit=bundle=b && cmp a b
; RUN[read]: offloadc %s --offload-arch=cpu,sm_80,gfx90a --emit=bundle=b && llvm-offload-binary b --image=file=sm_80.ptx,arch=sm_80 && \
;   grep -c '^.visible .entry k($' sm_80.ptx

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p, i32 %n) {
  store i32 %n, ptr %p
  ret void
}
;;; stdout
; b: image container, 4 images, no kernels
; gfx90a amdgcn-amd-amdhsa object 1
; sm_80 nvptx64-nvidia-cuda ptx 1 driver 450.36, PTX 7.0
; spirv64 spirv64-unknown-unknown spirv 1
; cpu x86_64-unknown-linux-gnu none 0 warps of 32 lanes
;;; stdout[read]
; 1
