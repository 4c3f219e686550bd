; A kernel that uses launch-sized memory takes its address as one more parameter, followed by its size if the kernel
; asks for it. A kernel that does neither stays as it is.
; RUN: offloadc %s --run-pass=pass_dynamic_shared --offload-arch=spirv64 | grep -v "^target"

declare ptr addrspace(4) @__offload_dynamic_shared_address()
declare i32 @__offload_dynamic_shared_bytes()

define spir_kernel void @k(ptr addrspace(1) %out) {
  %shared = call ptr addrspace(4) @__offload_dynamic_shared_address()
  store i32 1, ptr addrspace(4) %shared
  ret void
}

define spir_kernel void @sized(ptr addrspace(1) %out) {
  %size = call i32 @__offload_dynamic_shared_bytes()
  store i32 %size, ptr addrspace(1) %out
  %shared = call ptr addrspace(4) @__offload_dynamic_shared_address()
  store i32 1, ptr addrspace(4) %shared
  ret void
}

define spir_kernel void @only_size(ptr addrspace(1) %out) {
  %size = call i32 @__offload_dynamic_shared_bytes()
  store i32 %size, ptr addrspace(1) %out
  ret void
}

define spir_kernel void @neither(ptr addrspace(1) %out) {
  store i32 1, ptr addrspace(1) %out
  ret void
}
;;; stdout
;
; define spir_kernel void @k(ptr addrspace(1) %out, ptr addrspace(3) align 16 %dynamic_shared) {
;   %1 = addrspacecast ptr addrspace(3) %dynamic_shared to ptr addrspace(4)
;   store i32 1, ptr addrspace(4) %1, align 4
;   ret void
; }
;
; define spir_kernel void @sized(ptr addrspace(1) %out, ptr addrspace(3) align 16 %dynamic_shared, i32 %dynamic_shared_size) {
;   %1 = addrspacecast ptr addrspace(3) %dynamic_shared to ptr addrspace(4)
;   store i32 %dynamic_shared_size, ptr addrspace(1) %out, align 4
;   store i32 1, ptr addrspace(4) %1, align 4
;   ret void
; }
;
; define spir_kernel void @only_size(ptr addrspace(1) %out, ptr addrspace(3) align 16 %dynamic_shared, i32 %dynamic_shared_size) {
;   store i32 %dynamic_shared_size, ptr addrspace(1) %out, align 4
;   ret void
; }
;
; define spir_kernel void @neither(ptr addrspace(1) %out) {
;   store i32 1, ptr addrspace(1) %out, align 4
;   ret void
; }
