; Copies of a length that is not known move words, through pointers of their address space; short ones are a row of loads.
; RUN[nvidia]: offloadc %s --offload-arch=sm_80 --emit=codegen=-
; CHECK[nvidia]: .func __offload_memcpy(
; CHECK[nvidia]: ld.global.v2.b64
; CHECK[nvidia]: st.global.v2.b64
; CHECK[nvidia]: .entry copy(
; CHECK-NOT[nvidia]: b8
; CHECK[nvidia]: ld.global.b32{{.*}}+252]
; CHECK[nvidia]: st.global.b32{{.*}}+252]
; RUN[amd]: offloadc %s --offload-arch=gfx90a --emit=codegen=-
; CHECK[amd]: __offload_memset:
; CHECK[amd]: global_store_dwordx4
; CHECK[amd]: copy:
; CHECK[amd]: global_load_dwordx4
; CHECK[amd]: global_store_dwordx4

target triple = "x86_64-unknown-linux-gnu"

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define ptx_kernel void @copy(ptr %to, ptr %from, i64 %count) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %count, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %from, ptr align 4 %to, i64 256, i1 false)
  call void @llvm.memset.p0.i64(ptr %to, i8 7, i64 %count, i1 false)
  ret void
}
