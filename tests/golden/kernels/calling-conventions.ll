; The three GPU kernel calling conventions mark kernels, and are C on the host.
; RUN@22[kernels]: offloadc %s --offload-arch=cpu --emit=kernels=-
; RUN@22[host]: offloadc %s --offload-arch=cpu --emit=host=- | llvm-nm --defined-only --format=just-symbols -
; LLVM 23 permits no calls with them.
; FAIL@23[no-calls]: offloadc %s --offload-arch=cpu --emit=kernels=- 2>&1 | grep -o "calling convention does not permit calls"
; RUN@23[without-calls]: grep -v "call ptx" %s | offloadc - --offload-arch=cpu --emit=kernels=-

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @one(ptr %out) {
  ret void
}

define amdgpu_kernel void @two(ptr %out) {
  ret void
}

define spir_kernel void @three(ptr %out) {
  ret void
}

define void @host_calls(ptr %out) {
  call ptx_kernel void @one(ptr %out)
  ret void
}
;;; stdout[kernels]
; one (one): plain, found by its calling convention
;   0: pointer at 0, 8 bytes, aligned to 8
; two (two): plain, found by its calling convention
;   0: pointer at 0, 8 bytes, aligned to 8
; three (three): plain, found by its calling convention
;   0: pointer at 0, 8 bytes, aligned to 8
;;; stdout[host]
; host_calls
; one
; three
; two
;;; stdout[no-calls]
; calling convention does not permit calls
;;; stdout[without-calls]
; one (one): plain, found by its calling convention
;   0: pointer at 0, 8 bytes, aligned to 8
; two (two): plain, found by its calling convention
;   0: pointer at 0, 8 bytes, aligned to 8
; three (three): plain, found by its calling convention
;   0: pointer at 0, 8 bytes, aligned to 8
