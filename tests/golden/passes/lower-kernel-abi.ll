; A kernel becomes an entry point: its pointers are global ones, and its structs bytes in the target's memory.
; RUN: offloadc %s --run-pass=lower_kernel_abi --offload-arch=sm_80 --kernel=k | grep -v "^target"
; RUN[by-reference]: offloadc %s --run-pass=lower_kernel_abi --offload-arch=gfx90a --kernel=k | grep -v "^target"
; RUN[slots]: offloadc %s --run-pass=lower_kernel_abi --offload-arch=sm_80 --kernel=k --runtime=omptarget | grep -v "^target"

%pair = type { i32, i64 }

define void @k(ptr %out, i1 zeroext %flag, ptr byval(%pair) align 8 %pair) {
  %value = load i64, ptr %pair
  %chosen = select i1 %flag, i64 %value, i64 0
  store i64 %chosen, ptr %out
  ret void
}
;;; stdout
;
; define ptx_kernel void @k(ptr addrspace(1) %out, i8 %flag, ptr byval([16 x i8]) align 8 %pair) {
;   %1 = addrspacecast ptr addrspace(1) %out to ptr
;   %2 = trunc i8 %flag to i1
;   %value = load i64, ptr %pair, align 4
;   %chosen = select i1 %2, i64 %value, i64 0
;   store i64 %chosen, ptr %1, align 4
;   ret void
; }
;;; stdout[by-reference]
;
; define protected amdgpu_kernel void @k(ptr addrspace(1) %out, i8 %flag, ptr addrspace(4) byref([16 x i8]) align 8 %pair) #0 {
;   %1 = addrspacecast ptr addrspace(1) %out to ptr
;   %2 = trunc i8 %flag to i1
;   %3 = addrspacecast ptr addrspace(4) %pair to ptr
;   %value = load i64, ptr %3, align 4
;   %chosen = select i1 %2, i64 %value, i64 0
;   store i64 %chosen, ptr %1, align 4
;   ret void
; }
;
; attributes #0 = { "amdgpu-flat-work-group-size"="1,1024" "uniform-work-group-size"="true" }
;;; stdout[slots]
;
; define ptx_kernel void @k(ptr addrspace(1) %0, i64 %1, i64 %2, i64 %3, i64 %4, ptr addrspace(1) %5, ptr addrspace(1) %out, i64 %flag, ptr addrspace(1) align 8 %pair) {
;   %7 = addrspacecast ptr addrspace(1) %out to ptr
;   %8 = trunc i64 %flag to i1
;   %9 = addrspacecast ptr addrspace(1) %pair to ptr
;   %value = load i64, ptr %9, align 4
;   %chosen = select i1 %8, i64 %value, i64 0
;   store i64 %chosen, ptr %7, align 4
;   ret void
; }
