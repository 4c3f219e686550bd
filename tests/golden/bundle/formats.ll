; The images of one vendor in this vendor's own container, which its tools read. `inspect` reads all of them.
; RUN[fatbin]: offloadc %s --offload-arch=cpu,sm_80,sm_90,gfx90a --bundle-format=fatbin --emit=bundle=x.fatbin && \
;   od -An -tx4 -N4 x.fatbin && offloadc inspect x.fatbin | awk 'NR > 2 { print $1, $3 }'
; RUN[hip]: offloadc %s --offload-arch=gfx90a,gfx1100 --bundle-format=hip --emit=bundle=x.hipfb && \
;   clang-offload-bundler --list --type=o --input=x.hipfb && \
;   clang-offload-bundler --unbundle --type=o --input=x.hipfb --targets=hipv4-amdgcn-amd-amdhsa--gfx90a --output=one && \
;   offloadc %s --offload-arch=gfx90a --emit=image=other && cmp one other
; FAIL=1[nothing]: offloadc %s --offload-arch=spirv64 --bundle-format=hip --emit=bundle=x.hipfb

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p, i32 %n) {
  store i32 %n, ptr %p
  ret void
}
;;; stdout[fatbin]
;  ba55ed50
; images
; arch kind
; sm_80 ptx
; sm_90 ptx
;
; code each
; kernel kind
; k ptx
; k ptx
;;; stderr[fatbin]
; warning[OFC0039]: the images for `gfx90a` are not in the bundle
;   = note: `--bundle-format=fatbin` holds the images for one vendor's GPUs
;   = help: leave the archs out, or use `--bundle-format=offload`
;;; stdout[hip]
; hipv4-amdgcn-amd-amdhsa--gfx90a
; hipv4-amdgcn-amd-amdhsa--gfx1100
; host-x86_64-unknown-linux-gnu-
;;; stderr[nothing]
; warning[OFC0039]: the images for `spirv64` are not in the bundle
;   = note: `--bundle-format=hip` holds the images for one vendor's GPUs
;   = help: leave the archs out, or use `--bundle-format=offload`
; error: cannot bundle the images: no image fits into a bundle of the form `hip`
