; Conversions of integers up to 128 bits become arithmetic on words. Those of wider ones stay as they are: half of the number
; would be lost. LLVM expands them for the processor and for AMD; the other GPUs refuse them.
; RUN: offloadc %s --offload-arch=cpu --emit=legalize=- | grep -E 'to (i129|double)'
; FAIL[gpus]: offloadc %s --offload-arch=sm_80,spirv64 -o out.o
; RUN[expanded]: offloadc %s --offload-arch=cpu,gfx90a -o out.o

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @from(ptr %p, ptr %out) {
  %wide = load i129, ptr %p
  %f = sitofp i129 %wide to double
  store double %f, ptr %out
  ret void
}

define ptx_kernel void @to(ptr %p, ptr %out) {
  %f = load double, ptr %p
  %wide = fptosi double %f to i129
  store i129 %wide, ptr %out
  ret void
}
;;; stdout
;   %f = sitofp i129 %wide to double
;   %wide = fptosi double %f to i129
;;; stderr[gpus]
; error[OFC0020]: kernel `from` uses the type `i129`, which the device does not have
;   = note: also in `to`
;   = note: for sm_80
;   = help: use an integer of another width in kernels
; error[OFC0008]: kernel `from` converts between a float and an integer of 129 bits, which has no device code
;   = note: also in `to`
;   = note: for sm_80, spirv64
;   = help: write it another way in kernels
