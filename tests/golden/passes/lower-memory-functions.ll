; A copy of unknown size calls a function that the module has; a short one stays an intrinsic.
; RUN: offloadc %s --run-pass=lower_memory_functions --offload-arch=sm_80 | grep -v "^target"
; CHECK: define void @f
; CHECK: call{{.*}}@__offload_memcpy(ptr %to, ptr %from, i64 %n)
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 8
; CHECK: define internal{{.*}}@__offload_memcpy(

define void @f(ptr %to, ptr %from, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 8, i1 false)
  ret void
}
