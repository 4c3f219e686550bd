; A fence for one thread alone orders nothing that another thread sees, and keeps its scope on every target: with a
; scope of the target it would cost more, and order more. The other fence gets the target's name of its scope.
; RUN[cpu]: offloadc %s --offload-arch=cpu --emit=flavor=- | grep -oE 'fence .*'
; RUN[nvptx]: offloadc %s --offload-arch=sm_80 --emit=flavor=- | grep -oE 'fence .*'
; RUN[amdgpu]: offloadc %s --offload-arch=gfx90a --emit=flavor=- | grep -oE 'fence .*'
; RUN[spirv]: offloadc %s --offload-arch=spirv64 --emit=flavor=- | grep -oE 'fence .*'
; RUN[assembly]: offloadc %s --offload-arch=sm_80 --emit=codegen=- | grep -E 'fence|membar|st\.'

target triple = "x86_64-unknown-linux-gnu"

declare void @__offload_atomic_fence(i32, i32)

define ptx_kernel void @k(ptr %p) {
  store i32 1, ptr %p
  fence syncscope("singlethread") seq_cst
  store i32 2, ptr %p
  fence syncscope("singlethread") acquire
  call void @__offload_atomic_fence(i32 4, i32 2)
  ret void
}
;;; stdout[cpu]
; fence syncscope("singlethread") seq_cst
; fence syncscope("singlethread") acquire
; fence syncscope("singlethread") acq_rel
;;; stdout[nvptx]
; fence syncscope("block") acq_rel
;;; stdout[amdgpu]
; fence syncscope("singlethread") seq_cst
; fence syncscope("singlethread") acquire
; fence syncscope("workgroup") acq_rel
;;; stdout[spirv]
; fence syncscope("workgroup") acq_rel
;;; stdout[assembly]
; 	st.global.b32 	[%rd1], 2;
; 	fence.acq_rel.cta;
