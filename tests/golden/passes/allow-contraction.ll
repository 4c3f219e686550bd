; The module has the flag that allows the contraction of products and sums.
; RUN: offloadc %s --run-pass=allow_contraction --offload-arch=spirv64 --fp-contract=fast | grep -v "^target"

define float @f(float %x) {
  ret float %x
}
;;; stdout
;
; define float @f(float %x) {
;   ret float %x
; }
;
; !opencl.enable.FP_CONTRACT = !{}
