; The builtins of the device contract that the benchmark's kernels call, for NVIDIA GPUs: code that a user who builds by
; hand would write once.
target triple = "nvptx64-nvidia-cuda"

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define i32 @__offload_thread_id_x() alwaysinline nounwind {
  %value = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret i32 %value
}
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define i32 @__offload_block_id_x() alwaysinline nounwind {
  %value = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  ret i32 %value
}
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
define i32 @__offload_block_dim_x() alwaysinline nounwind {
  %value = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  ret i32 %value
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
define i32 @__offload_thread_id_y() alwaysinline nounwind {
  %value = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  ret i32 %value
}
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
define i32 @__offload_block_id_y() alwaysinline nounwind {
  %value = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  ret i32 %value
}
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
define i32 @__offload_block_dim_y() alwaysinline nounwind {
  %value = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  ret i32 %value
}
