; Good SPIR-V that no device can build: it calls a function that does not exist.
target triple = "spirv64-unknown-unknown"

declare spir_func void @nowhere(ptr addrspace(1))

define spir_kernel void @lost(ptr addrspace(1) %out) {
  call spir_func void @nowhere(ptr addrspace(1) %out)
  ret void
}
