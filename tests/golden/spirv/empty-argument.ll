; A kernel whose arguments have no bytes takes one byte, as the runtime passes it, with any alignment: SPIR-V has no
; array without elements.
; RUN: offloadc %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && spirv-dis k.spv
; CHECK: OpTypeArray %uchar %uint_1
; CHECK-NOT: OpTypeArray
; CHECK: OpFunctionEnd

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_kernel_block(ptr, i64, i64)

define internal void @nothing(ptr %arguments) {
  ret void
}

define internal void @reads(ptr %arguments) {
  %copy = alloca [0 x i8], align 1
  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %arguments, i64 0, i1 false)
  ret void
}

define void @main() {
  %a = call ptr @__offload_kernel_block(ptr @nothing, i64 0, i64 1)
  %b = call ptr @__offload_kernel_block(ptr @reads, i64 0, i64 8)
  ret void
}
