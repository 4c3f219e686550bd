; A runtime loads some kinds of images only. The others are named if the program has nothing else for an arch.
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
;;; stderr[cuda]
; warning[OFC0039]: the images for `gfx90a`, `cpu` are not registered with libcudart
;   = note: it loads images for NVIDIA GPUs only
;   = help: name an arch that it loads, leave the others out, or use `--runtime=offloadrt`
;;; stderr[hip]
; warning[OFC0039]: the images for `sm_80`, `cpu` are not registered with HIP
;   = note: it loads images for AMD GPUs only
;   = help: name an arch that it loads, leave the others out, or use `--runtime=offloadrt`
;;; stderr[liboffload]
; warning[OFC0039]: the images for `spirv64` are not registered with liboffload
;   = note: it does not load SPIR-V
;   = help: name an arch that it loads, leave the others out, or use `--runtime=offloadrt`
;;; stderr[mgpu]
; warning[OFC0039]: the images for `cpu` are not registered with the `mgpu` functions
;   = note: they load images for GPUs only
;   = help: name an arch that it loads, leave the others out, or use `--runtime=offloadrt`
;;; stderr[two-vendors]
; error: cannot bundle the images: cannot write the registration object: `--runtime=mgpu` loads one module, and `gfx90a` and `sm_80` need two: name the archs of one vendor's GPUs, or one of SPIR-V
;;; stderr[no-gpu]
; error: cannot bundle the images: cannot write the registration object: `--runtime=mgpu` has no image to load: name the archs of one vendor's GPUs with `--offload-arch`
