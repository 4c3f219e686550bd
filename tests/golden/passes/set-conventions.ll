; Functions that are not kernels, and calls of them, have the calling convention of SPIR-V's functions.
; RUN: offloadc %s --run-pass=set_conventions --offload-arch=spirv64 | grep -v "^target"

define internal i32 @g(i32 %x) {
  ret i32 %x
}

define spir_kernel void @k(ptr addrspace(1) %out) {
  %r = call i32 @g(i32 5)
  store i32 %r, ptr addrspace(1) %out
  ret void
}
;;; stdout
;
; define internal spir_func i32 @g(i32 %x) {
;   ret i32 %x
; }
;
; define spir_kernel void @k(ptr addrspace(1) %out) !vec_type_hint !0 {
;   %r = call spir_func i32 @g(i32 5)
;   store i32 %r, ptr addrspace(1) %out, align 4
;   ret void
; }
;
; !0 = !{<4 x i32> poison, i32 0}
