; A runtime loads some images alone: those that it is never told of are named, where the program has nothing else for an arch.
;
; RUN[told]: offloadc %s --runtime=omptarget --offload-arch=cpu,sm_80,spirv64,gfx90a -o out.o
; RUN[hushed]: offloadc %s --runtime=omptarget --offload-arch=sm_80 -Wno-unregistered-image -o out.o
; RUN[cuda]: offloadc %s --runtime=cuda --offload-arch=cpu,sm_80,gfx90a -o out.o
; RUN[hip]: offloadc %s --runtime=hip --offload-arch=cpu,sm_80,gfx90a -o out.o
; RUN[liboffload]: offloadc %s --runtime=liboffload --offload-arch=cpu,sm_80,gfx90a,spirv64 -o out.o
; RUN[mgpu]: offloadc %s --runtime=mgpu --offload-arch=cpu,sm_80 -o out.o
; FAIL[two-vendors]: offloadc %s --runtime=mgpu --offload-arch=sm_80,gfx90a -o out.o
; FAIL[no-gpu]: offloadc %s --runtime=mgpu --offload-arch=cpu -w -o out.o
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
