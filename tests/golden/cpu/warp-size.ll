; The number of lanes in a warp on the processor is chosen when a program is compiled. The image has the number.
; RUN[default]: offloadc %s --offload-arch=cpu -o out.o && offloadc inspect out.o | head -5
; RUN[chosen]: offloadc %s --offload-arch=cpu --cpu-warp-size=64 -o out.o && offloadc inspect --json out.o | grep warp_size
; FAIL=2[other]: offloadc %s --offload-arch=cpu --cpu-warp-size=16 -o out.o

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %out) {
  store i32 1, ptr %out
  ret void
}
;;; stdout[default]
; out.o: object, 1 image, 1 kernel
;
; images
;   arch  triple                    kind  bytes  notes
;   cpu   x86_64-unknown-linux-gnu  none  0      warps of 32 lanes
;;; stdout[chosen]
;             "warp_size": "64"
;;; stderr[other]
; error: invalid value '16' for '--cpu-warp-size <LANES>': a warp on the CPU has 64, 32 or 1 lanes
;
; For more information, try '--help'.
