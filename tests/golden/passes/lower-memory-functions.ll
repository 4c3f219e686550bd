; A copy of unknown size calls a function that the module has; a short one stays an intrinsic. So does a long one that is
; volatile, or between other address spaces, one of up to 256 bytes by words, unless the memory may overlap, and one
; that must not be a call.
; RUN: offloadc %s --run-pass=lower_memory_functions --offload-arch=sm_80 | grep -v "^target"
; CHECK: define void @f
; CHECK: call{{.*}}@__offload_memcpy(ptr %to, ptr %from, i64 %n)
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 8

define void @f(ptr %to, ptr %from, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 8, i1 false)
  ret void
}

; CHECK: define void @others
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 true)
; CHECK: call void @llvm.memcpy.p3.p0.i64(ptr addrspace(3) %shared, ptr %from, i64 %n, i1 false)
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 256, i1 false)
; CHECK: call{{.*}}@__offload_memcpy(ptr %to, ptr %from, i64 257)
; CHECK: call{{.*}}@__offload_memcpy(ptr %to, ptr %from, i64 65)
; CHECK: call void @llvm.memset.p0.i64(ptr align 4 %to, i8 %byte, i64 256, i1 false)
; CHECK: call void @llvm.memset.inline.p0.i64(ptr %to, i8 %byte, i64 %n, i1 false)
; CHECK: call void @llvm.memcpy.inline.p0.p0.i64(ptr %to, ptr %from, i64 1000, i1 false)
; CHECK: zext i8 %byte to i32
; CHECK: call{{.*}}@__offload_memset(ptr %to
; CHECK: define internal{{.*}}@__offload_memcpy(
define void @others(ptr %to, ptr %from, i64 %n, ptr addrspace(3) %shared, i8 %byte) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 true)
  call void @llvm.memcpy.p3.p0.i64(ptr addrspace(3) %shared, ptr %from, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 256, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 257, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 2 %from, i64 65, i1 false)
  call void @llvm.memset.p0.i64(ptr align 4 %to, i8 %byte, i64 256, i1 false)
  call void @llvm.memset.inline.p0.i64(ptr %to, i8 %byte, i64 %n, i1 false)
  call void @llvm.memcpy.inline.p0.p0.i64(ptr %to, ptr %from, i64 1000, i1 false)
  call void @llvm.memset.p0.i64(ptr %to, i8 %byte, i64 %n, i1 false)
  ret void
}
