; The module says that products and sums may be contracted.
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
