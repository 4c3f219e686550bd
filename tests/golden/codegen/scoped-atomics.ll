; The contract's atomics become LLVM's, with the scope and ordering of the operands, or no weaker ones.
; RUN[nvptx]: offloadc %s --offload-arch=sm_80 --emit=codegen=-
; CHECK[nvptx]: fence.acq_rel.cta
; CHECK[nvptx]: atom.cta.global.add.u32
; CHECK[nvptx]: fence.acq_rel.cta
; CHECK[nvptx]: atom.gpu.global.min.s64
; CHECK[nvptx]: atom.acq_rel.gpu.global.cas.b32
; CHECK[nvptx]: atom.cta.global.add.f32
; CHECK[nvptx]: atom.cta.global.exch.b64
; CHECK[nvptx]: ld.acquire.cta.global.b32
; CHECK[nvptx]: fence.sc.gpu
; CHECK[nvptx]: st.release.gpu.global.b32
; CHECK[nvptx]: fence.acq_rel.cta
; CHECK[nvptx]: fence.sc.cta
; CHECK[nvptx]: cta.global.cas.b32
; CHECK[nvptx]: gpu.global.cas.b32
; RUN[older]: offloadc %s --offload-arch=sm_52 --emit=codegen=-
; CHECK[older]: membar.cta
; CHECK[older]: atom.global.add.u32
; CHECK[older]: membar.cta
; CHECK[older]: membar.gl
; CHECK[older]: atom.global.cas.b32
; CHECK[older]: membar.gl
; RUN[amdgpu]: offloadc %s --offload-arch=gfx90a --emit=flavor=-
; CHECK[amdgpu]: atomicrmw add {{.*}} syncscope("workgroup") acq_rel
; CHECK[amdgpu]: atomicrmw min {{.*}} syncscope("agent") monotonic
; CHECK[amdgpu]: cmpxchg {{.*}} syncscope("agent") acq_rel acquire
; CHECK[amdgpu]: atomicrmw fadd {{.*}} syncscope("singlethread") monotonic
; CHECK[amdgpu]: atomicrmw xchg {{.*}} syncscope("wavefront") release
; CHECK[amdgpu]: load atomic i32, {{.*}} syncscope("workgroup") acquire
; CHECK[amdgpu]: store atomic i32 {{.*}} syncscope("agent") seq_cst
; CHECK[amdgpu]: fence syncscope("workgroup") release
; RUN[spirv]: offloadc %s --offload-arch=spirv64 --emit=image=- | spirv-dis
; CHECK[spirv]: OpMemoryBarrier %uint_2 %uint_772
; CHECK[spirv]: OpAtomicIAdd %uint {{.*}} %uint_2
; CHECK[spirv]: OpMemoryBarrier %uint_2 %uint_770
; CHECK[spirv]: OpAtomicSMin %ulong {{.*}} %uint_1
; CHECK[spirv]: OpAtomicCompareExchange %uint {{.*}} %uint_1
; CHECK[spirv]: OpAtomicLoad %uint {{.*}} %uint_2
; CHECK[spirv]: OpAtomicStore {{.*}} %uint_1
; CHECK[spirv]: OpMemoryBarrier %uint_2
; RUN[cpu]: offloadc %s --offload-arch=cpu --emit=flavor=-
; CHECK[cpu]: add i32 %{{.*}}, %n
; CHECK[cpu]: atomicrmw min ptr %q, i64 5 monotonic
; CHECK[cpu]: fence syncscope("singlethread") release

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_atomic_add_u32(ptr, i32, i32, i32)
declare i64 @__offload_atomic_min_i64(ptr, i64, i32, i32)
declare i32 @__offload_atomic_compare_exchange_u32(ptr, i32, i32, i32, i32, i32)
declare float @__offload_atomic_add_f32(ptr, float, i32, i32)
declare double @__offload_atomic_exchange_f64(ptr, double, i32, i32)
declare i32 @__offload_atomic_load_u32(ptr, i32, i32)
declare void @__offload_atomic_store_u32(ptr, i32, i32, i32)
declare void @__offload_atomic_fence(i32, i32)
declare i8 @__offload_atomic_add_u8(ptr, i8, i32, i32)
declare i16 @__offload_atomic_compare_exchange_u16(ptr, i16, i16, i32, i32, i32)

define ptx_kernel void @k(ptr %p, ptr %q, ptr %out, i32 %n) {
  %a = call i32 @__offload_atomic_add_u32(ptr %p, i32 %n, i32 4, i32 2)
  %b = call i64 @__offload_atomic_min_i64(ptr %q, i64 5, i32 0, i32 1)
  %c = call i32 @__offload_atomic_compare_exchange_u32(ptr %p, i32 %a, i32 3, i32 4, i32 2, i32 1)
  %d = call float @__offload_atomic_add_f32(ptr %p, float 1.0, i32 0, i32 4)
  %e = call double @__offload_atomic_exchange_f64(ptr %q, double 1.0, i32 3, i32 3)
  %f = call i32 @__offload_atomic_load_u32(ptr %p, i32 2, i32 2)
  call void @__offload_atomic_store_u32(ptr %p, i32 %f, i32 5, i32 1)
  call void @__offload_atomic_fence(i32 3, i32 2)
  %g = call i8 @__offload_atomic_add_u8(ptr %p, i8 1, i32 5, i32 2)
  %h = call i16 @__offload_atomic_compare_exchange_u16(ptr %p, i16 1, i16 3, i32 0, i32 0, i32 1)
  %s = add i32 %a, %c
  store i32 %s, ptr %out
  ret void
}
