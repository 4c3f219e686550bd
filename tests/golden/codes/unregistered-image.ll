; libomptarget loads machine code alone: what it is never told of is said, where the program has nothing else for an arch.
;
; RUN[told]: offloadc %s --runtime=omptarget --offload-arch=cpu,sm_80,spirv64,gfx90a -o out.o
; RUN[hushed]: offloadc %s --runtime=omptarget --offload-arch=sm_80 -Wno-unregistered-image -o out.o
; RUN[ours]: offloadc %s --offload-arch=cpu,sm_80,spirv64 -o out.o

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p) {
  store i32 1, ptr %p
  ret void
}
;;; stderr[told]
; warning[OFC0039]: the images for `sm_80`, `spirv64` are not registered with libomptarget
;   = note: it loads machine code only, and these images are PTX or SPIR-V
;   = help: name NVIDIA's assembler with `--ptxas`, leave the archs out, or use `--runtime=offloadrt`
