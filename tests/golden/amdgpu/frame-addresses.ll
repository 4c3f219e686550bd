; A condition that the lanes share takes one of two local arrays in a function that is called: the addresses of the arrays
; are computed without a change of SCC between the comparison and the selection.
; RUN[gfx90a]: offloadc -w %s --offload-arch=gfx90a --emit=codegen=- | sed -n '/^pick:/,/s_endpgm/p' | \
;   grep -oE "s_cmp_.*|s_(lshr|add_i32|addk|addc|bitcmp).*|v_lshrrev.*|v_readfirst.*|s_mov_b32 s[0-9]+, s[0-9]+|s_cselect_b32 .*"
; RUN[gfx90a-without]: offloadc -w %s --offload-arch=gfx90a --without-workaround=copy_frame_addresses --emit=codegen=- | \
;   sed -n '/^pick:/,/s_endpgm/p' | \
;   grep -oE "s_cmp_.*|s_(lshr|add_i32|addk|addc|bitcmp).*|v_lshrrev.*|v_readfirst.*|s_cselect_b32 .*"
; RUN@22[gfx1100-without]: offloadc -w %s --offload-arch=gfx1100 --without-workaround=copy_frame_addresses --emit=codegen=- | \
;   sed -n '/^pick:/,/s_endpgm/p' | grep -oE "s_cmp_.*|s_(lshr|add_i32|addk|addc|bitcmp).*|s_cselect_b32 .*"
; RUN[gfx1100]: offloadc -w %s --offload-arch=gfx1100 --emit=codegen=- | sed -n '/^pick:/,/s_endpgm/p' | \
;   grep -oE "s_cmp_.*|s_(lshr|add_i32|addk|addc|bitcmp).*|s_mov_b32 s[0-9]+, s[0-9]+|s_cselect_b32 .*"

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_block_id_x()

define internal void @fill(ptr %p) noinline {
  store volatile i32 3, ptr %p
  ret void
}

define internal void @pick() noinline {
  %block = call i32 @__offload_block_id_x()
  %a = alloca [16 x i32]
  %b = alloca [16 x i32]
  store volatile i32 1, ptr %a
  store volatile i32 2, ptr %b
  %c = icmp eq i32 %block, 3
  %p = select i1 %c, ptr %a, ptr %b
  call void @fill(ptr %p)
  ret void
}

define ptx_kernel void @k() {
  call void @pick()
  ret void
}
;;; stdout[gfx90a]
; s_mov_b32 s7, s33
; s_mov_b32 s33, s32
; s_addk_i32 s32, 0x2400
; s_lshr_b32 s4, s33, 6
; s_add_i32 s4, s4, 64
; v_lshrrev_b32_e64 v0, 6, s33
; s_cmp_eq_u32 s12, 3
; v_readfirstlane_b32 s5, v0
; s_cselect_b32 s6, s5, s4
; s_addc_u32 s5, s5, fill@rel32@hi+12
; s_mov_b32 s32, s33
; s_mov_b32 s33, s7
; s_addc_u32 s1, s1, 0
; s_addc_u32 s7, s7, pick@rel32@hi+12
; s_mov_b32 s12, s4
;;; stdout[gfx90a-without]
; s_addk_i32 s32, 0x2400
; s_cmp_eq_u32 s12, 3
; s_lshr_b32 s4, s33, 6
; s_lshr_b32 s5, s33, 6
; s_add_i32 s5, s5, 64
; s_cselect_b32 s6, s4, s5
; s_addc_u32 s5, s5, fill@rel32@hi+12
; s_addc_u32 s1, s1, 0
; s_addc_u32 s7, s7, pick@rel32@hi+12
;;; stdout[gfx1100-without]
; s_addk_i32 s32, 0x90
; s_cmp_eq_u32 s12, 3
; s_add_i32 s1, s33, 64
; s_cselect_b32 s2, s0, s1
; s_addc_u32 s1, s1, fill@rel32@hi+12
; s_addc_u32 s1, s1, pick@rel32@hi+12
;;; stdout[gfx1100]
; s_mov_b32 s3, s33
; s_mov_b32 s33, s32
; s_addk_i32 s32, 0x90
; s_add_i32 s1, s33, 64
; s_mov_b32 s0, s1
; s_cmp_eq_u32 s12, 3
; s_mov_b32 s1, s33
; s_cselect_b32 s2, s1, s0
; s_addc_u32 s1, s1, fill@rel32@hi+12
; s_mov_b32 s32, s33
; s_mov_b32 s33, s3
; s_mov_b32 s12, s15
; s_addc_u32 s1, s1, pick@rel32@hi+12
