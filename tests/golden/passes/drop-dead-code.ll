; Values without a use and functions that nothing reaches are removed.
; RUN: offloadc %s --run-pass=drop_dead_code --offload-arch=spirv64 | grep -v "^target"

define internal void @unused() {
  ret void
}

define spir_kernel void @k(i32 %x) {
  %dead = add i32 %x, 1
  ret void
}
;;; stdout
;
; define spir_kernel void @k(i32 %x) {
;   ret void
; }
