; Copies and fills of a known length are accesses as wide as the alignment allows, all loads before the first store, with
; a tail of narrower ones. Volatile copies stay unchanged; copies of overlapping memory are loaded whole.
; RUN[nvidia]: offloadc %s --offload-arch=sm_80 --emit=codegen=out.s; ptxas -arch sm_80 out.s -o out.cubin; \
;   grep -E 'entry|(ld|st)[.](global|volatile)' out.s
; CHECK[nvidia]: entry copies_16(
; CHECK[nvidia]: ld.global.v4.b32
; CHECK[nvidia]: st.global.v4.b32
; CHECK[nvidia]: entry copies_28(
; CHECK[nvidia]: ld.global.v4.b32
; CHECK[nvidia]: ld.global.b64{{.*}}+16]
; CHECK[nvidia]: ld.global.b32{{.*}}+24]
; CHECK[nvidia]: st.global.v4.b32
; CHECK[nvidia]: st.global.b64
; CHECK[nvidia]: st.global.b32
; CHECK[nvidia]: entry copies_80(
; CHECK-NOT[nvidia]: st.
; CHECK[nvidia]: ld.global.v4.b32{{.*}}+48]
; CHECK-NOT[nvidia]: ld.
; CHECK[nvidia]: st.global.v4.b32{{.*}}+48]
; CHECK[nvidia]: ld.global.v4.b32{{.*}}+64]
; CHECK[nvidia]: st.global.v4.b32{{.*}}+64]
; CHECK[nvidia]: entry less_aligned(
; CHECK[nvidia]: ld.global.b64
; CHECK[nvidia]: ld.global.b64
; CHECK[nvidia]: st.global.b64
; CHECK[nvidia]: st.global.b64
; CHECK[nvidia]: entry moves_32(
; CHECK[nvidia]: ld.global.v4.b32
; CHECK[nvidia]: ld.global.v4.b32
; CHECK[nvidia]: st.global.v4.b32
; CHECK[nvidia]: st.global.v4.b32
; CHECK[nvidia]: entry moves_40(
; CHECK-NOT[nvidia]: st.
; CHECK[nvidia]: ld.global.b16{{.*}}+38]
; CHECK[nvidia]: entry fills_24(
; CHECK[nvidia]: st.global.v4.b32
; CHECK[nvidia]: st.global.b64
; CHECK[nvidia]: entry keeps_volatile(
; CHECK[nvidia]: ld.volatile.b64
; CHECK[nvidia]: st.volatile.b64
; RUN[kept]: offloadc %s --offload-arch=sm_80 --emit=optimize=-
; CHECK[kept]: @copies_16(
; CHECK[kept]: load <4 x i32>{{.*}}, align 16
; CHECK[kept]: store <4 x i32>{{.*}}, align 16
; CHECK[kept]: @keeps_volatile(
; CHECK[kept]: @llvm.memcpy.{{.*}}i64 32, i1 true)
; RUN[amd]: offloadc %s --offload-arch=gfx90a --emit=codegen=out.s; grep -E '^[a-z0-9_]+:|(global|flat)_(load|store)_' out.s
; CHECK[amd]: copies_16:
; CHECK[amd]: global_load_dwordx4
; CHECK[amd]: global_store_dwordx4
; CHECK[amd]: copies_80:
; CHECK-NOT[amd]: store
; CHECK[amd]: global_load_dwordx4{{.*}}offset:64
; CHECK[amd]: global_store_dwordx4
; CHECK[amd]: less_aligned:
; CHECK[amd]: global_load_dwordx4
; CHECK[amd]: global_store_dwordx4
; CHECK[amd]: moves_32:
; CHECK[amd]: global_load_dwordx4
; CHECK[amd]: global_load_dwordx4
; CHECK[amd]: global_store_dwordx4
; CHECK[amd]: global_store_dwordx4
; CHECK[amd]: fills_24:
; CHECK[amd]: global_store_dwordx4
; CHECK[amd]: global_store_dwordx2
; CHECK[amd]: keeps_volatile:
; CHECK[amd]: flat_load_dwordx4{{.*}}glc
; RUN[spirv]: offloadc %s --offload-arch=spirv64 --emit=codegen=out.s; grep -E 'OpName|OpFunction |OpLoad|OpStore|OpCopy' out.s
; CHECK[spirv]: OpCopyMemorySized{{.*}}Aligned 16
; CHECK[spirv]: OpCopyMemorySized{{.*}}Aligned 8
; CHECK[spirv]: OpLoad{{.*}}Aligned 8
; CHECK[spirv]: OpLoad{{.*}}Aligned 8
; CHECK[spirv]: OpLoad{{.*}}Aligned 8
; CHECK[spirv]: OpLoad{{.*}}Aligned 8
; CHECK[spirv]: OpStore{{.*}}Aligned 8
; CHECK[spirv]: OpStore{{.*}}Aligned 8
; CHECK[spirv]: OpFunction
; CHECK[spirv]: OpStore
; CHECK[spirv]: OpCopyMemorySized{{.*}}Volatile|Aligned 16
; REQUIRES: ptxas

target triple = "x86_64-unknown-linux-gnu"

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define ptx_kernel void @copies_16(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to, ptr align 16 %from, i64 16, i1 false)
  ret void
}

define ptx_kernel void @copies_28(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to, ptr align 32 %from, i64 28, i1 false)
  ret void
}

define ptx_kernel void @copies_80(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to, ptr align 16 %from, i64 80, i1 false)
  ret void
}

define ptx_kernel void @less_aligned(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 16 %from, i64 16, i1 false)
  ret void
}

define ptx_kernel void @moves_32(ptr %to, ptr %from) {
  call void @llvm.memmove.p0.p0.i64(ptr align 16 %to, ptr align 16 %from, i64 32, i1 false)
  ret void
}

define ptx_kernel void @moves_40(ptr %to, ptr %from) {
  call void @llvm.memmove.p0.p0.i64(ptr align 2 %to, ptr align 2 %from, i64 40, i1 false)
  ret void
}

define ptx_kernel void @fills_24(ptr %to, i8 %byte) {
  call void @llvm.memset.p0.i64(ptr align 16 %to, i8 %byte, i64 24, i1 false)
  ret void
}

define ptx_kernel void @keeps_volatile(ptr %to, ptr %from) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %to, ptr align 16 %from, i64 32, i1 true)
  ret void
}
