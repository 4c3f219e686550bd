; SPIR-V's own intrinsics are reached by name too: subgroup positions, and values from other lanes.
; RUN: offloadc %s --offload-arch=spirv64 --emit=image=x.spv && spirv-val x.spv && \
;   spirv-dis x.spv | grep -oE 'BuiltIn Subgroup.*|OpGroupNonUniform.*'
; REQUIRES: spirv-dis

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_intrinsic.llvm.spv.wave.readlane.i32(i32, i32)
declare i32 @__offload_intrinsic.llvm.spv.subgroup.id()

define ptx_kernel void @k(ptr %out) {
  %mine = load i32, ptr %out
  %first = call i32 @__offload_intrinsic.llvm.spv.wave.readlane.i32(i32 %mine, i32 0)
  %subgroup = call i32 @__offload_intrinsic.llvm.spv.subgroup.id()
  %sum = add i32 %first, %subgroup
  store i32 %sum, ptr %out
  ret void
}
;;; stdout
; BuiltIn SubgroupId
; OpGroupNonUniformShuffle %uint %uint_3 %12 %8
