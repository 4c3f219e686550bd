; Host code has its own optimisation level, if it is named: without optimisation, a function that is not called remains.
; RUN: offloadc %s --offload-arch=cpu --runtime=none --host-opt-level=0 -o out.o && llvm-nm out.o | grep -c " t not_called"
; RUN[same]: offloadc %s --offload-arch=cpu --runtime=none -O2 -o out.o && llvm-nm out.o | grep -c " t not_called" || true
; FAIL=2[wrong]: offloadc %s --offload-arch=cpu --host-opt-level=4 -o out.o

target triple = "x86_64-unknown-linux-gnu"

define internal i32 @not_called(i32 %x) {
  ret i32 %x
}

define ptx_kernel void @k(ptr %out) {
  store i32 1, ptr %out
  ret void
}
;;; stdout
; 1
;;; stdout[same]
; 0
;;; stderr[wrong]
; error: invalid value '4' for '--host-opt-level <LEVEL>': the levels are 0, 1, 2, 3, s and z
;
; For more information, try '--help'.
