; The promised size of a block is written in each target's own form.
; RUN: offloadc %s --run-pass=bound_launches --offload-arch=sm_80 --kernel=k | grep -v "^target"
; RUN[waves]: offloadc %s --run-pass=bound_launches --offload-arch=gfx90a --kernel=k | grep -v "^target"

define void @k(ptr %out) "offload-launch-bounds"="256,2,0,0,0" {
  ret void
}
;;; stdout
;
; define void @k(ptr %out) #0 {
;   ret void
; }
;
; attributes #0 = { "nvvm.maxntid"="256" "nvvm.minctasm"="2" "offload-launch-bounds"="256,2,0,0,0" }
;;; stdout[waves]
;
; define void @k(ptr %out) #0 {
;   ret void
; }
;
; attributes #0 = { "amdgpu-flat-work-group-size"="1,256" "amdgpu-waves-per-eu"="2" "offload-launch-bounds"="256,2,0,0,0" }
