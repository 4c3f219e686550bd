; Good PTX that no driver can link: it calls a function that does not exist.
target triple = "nvptx64-nvidia-cuda"

declare void @nowhere(ptr addrspace(1))

define ptx_kernel void @lost(ptr addrspace(1) %out) {
  call void @nowhere(ptr addrspace(1) %out)
  ret void
}
