; An intrinsic that only newer archs of the target have is refused for the older ones.
; FAIL: offloadc %s --offload-arch=sm_50,sm_70,sm_75 --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

declare { i64, i64 } @__offload_intrinsic.llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr)

define ptx_kernel void @k(ptr %in, ptr %out) {
  %all = call { i64, i64 } @__offload_intrinsic.llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr %in)
  store { i64, i64 } %all, ptr %out
  ret void
}
;;; stderr
; error[OFC0028]: kernel `k` reaches `llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3`, an intrinsic that the target does not have
;   = note: called through `k` → `llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3`
;   = note: for sm_50, sm_70
;   = help: call it behind a condition on `__offload_arch()` that holds only for archs that have it
