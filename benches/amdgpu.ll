; The builtins of the device contract that the benchmark's kernels call, for AMD GPUs: code that a user who builds by
; hand would write once. In code objects since version 5 the implicit arguments hold block sizes from byte 12 on.
target triple = "amdgcn-amd-amdhsa"

declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare i32 @llvm.amdgcn.workitem.id.x()
define i32 @__offload_thread_id_x() alwaysinline nounwind {
  %value = call i32 @llvm.amdgcn.workitem.id.x()
  ret i32 %value
}
declare i32 @llvm.amdgcn.workgroup.id.x()
define i32 @__offload_block_id_x() alwaysinline nounwind {
  %value = call i32 @llvm.amdgcn.workgroup.id.x()
  ret i32 %value
}
define i32 @__offload_block_dim_x() alwaysinline nounwind {
  %base = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %address = getelementptr inbounds i8, ptr addrspace(4) %base, i64 12
  %size = load i16, ptr addrspace(4) %address, align 2
  %value = zext i16 %size to i32
  ret i32 %value
}
declare i32 @llvm.amdgcn.workitem.id.y()
define i32 @__offload_thread_id_y() alwaysinline nounwind {
  %value = call i32 @llvm.amdgcn.workitem.id.y()
  ret i32 %value
}
declare i32 @llvm.amdgcn.workgroup.id.y()
define i32 @__offload_block_id_y() alwaysinline nounwind {
  %value = call i32 @llvm.amdgcn.workgroup.id.y()
  ret i32 %value
}
define i32 @__offload_block_dim_y() alwaysinline nounwind {
  %base = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %address = getelementptr inbounds i8, ptr addrspace(4) %base, i64 14
  %size = load i16, ptr addrspace(4) %address, align 2
  %value = zext i16 %size to i32
  ret i32 %value
}

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 600}
