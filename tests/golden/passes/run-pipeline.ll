; LLVM's passes for the target run alone: a local becomes a register.
; RUN: offloadc %s --run-pass=run_pipeline --offload-arch=sm_80 -O2 | grep -v "^target"
; CHECK: define{{.*}}ptx_kernel void @k(
; CHECK-NOT: alloca
; CHECK: store i32 5, ptr addrspace(1) %out

define ptx_kernel void @k(ptr addrspace(1) %out) {
  %local = alloca i32
  store i32 5, ptr %local
  %r = load i32, ptr %local
  store i32 %r, ptr addrspace(1) %out
  ret void
}
