; A kernel that uses launch-sized memory has its address as one more parameter.
; RUN: offloadc %s --run-pass=pass_dynamic_shared --offload-arch=spirv64 | grep -v "^target"

declare ptr addrspace(4) @__offload_dynamic_shared_address()

define spir_kernel void @k(ptr addrspace(1) %out) {
  %shared = call ptr addrspace(4) @__offload_dynamic_shared_address()
  store i32 1, ptr addrspace(4) %shared
  ret void
}
;;; stdout
;
; define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(3) align 16 %dynamic_shared) {
;   %1 = addrspacecast ptr addrspace(3) %dynamic_shared to ptr addrspace(4)
;   store i32 1, ptr addrspace(4) %1, align 4
;   ret void
; }
