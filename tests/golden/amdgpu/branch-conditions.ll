; A comparison of 64 bits that decides a branch and selections after it: LLVM removes the instruction whose SCC the
; selections need, and they read the carry of an addition. From `-O2` on, LLVM folds this selection.
; RUN: offloadc -w -O0 %s --offload-arch=gfx90a --emit=codegen=- | grep -oE "v_cmp.*|s_and_b64 .*|s_mov_b64 vcc.*|s_cbranch_vcc[a-z]*|s_add[a-z_0-9]*|s_cselect[a-z_0-9]*"
; RUN[without]: offloadc -w -O0 %s --offload-arch=gfx90a --without-workaround=keep_branch_conditions --emit=codegen=- | \
;   grep -oE "v_cmp.*|s_and_b64 .*|s_mov_b64 vcc.*|s_cbranch_vcc[a-z]*|s_add[a-z_0-9]*|s_cselect[a-z_0-9]*"
; RUN[optimized]: offloadc -w -O1 %s --offload-arch=gfx90a --emit=codegen=- | grep -oE "v_cmp.*|s_and_b64 .*|s_mov_b64 vcc.*|s_cbranch_vcc[a-z]*|s_add[a-z_0-9]*|s_cselect[a-z_0-9]*"
; RUN[optimized-without]: offloadc -w -O1 %s --offload-arch=gfx90a --without-workaround=keep_branch_conditions --emit=codegen=- | \
;   grep -oE "v_cmp.*|s_and_b64 .*|s_mov_b64 vcc.*|s_cbranch_vcc[a-z]*|s_add[a-z_0-9]*|s_cselect[a-z_0-9]*"

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @triangle(ptr %out, ptr %a, i64 %n, i64 %s) {
entry:
  %tid = call i32 @__offload_thread_id_x()
  %t = zext i32 %tid to i64
  br label %outer
outer:
  %k = phi i64 [ 1, %entry ], [ %k1, %latch ]
  %gt = icmp sgt i64 %k, %n
  %km = add i64 %k, -1
  %hi = select i1 %gt, i64 %km, i64 %n
  br i1 %gt, label %latch, label %inner
inner:
  %r = phi i64 [ %k, %outer ], [ %r1, %inner ]
  %v = phi float [ 0.0, %outer ], [ %v1, %inner ]
  %i = add i64 %r, %t
  %p = getelementptr float, ptr %a, i64 %i
  %x = load float, ptr %p
  %v1 = fadd float %v, %x
  %r1 = add i64 %r, 1
  %d = icmp eq i64 %r, %hi
  br i1 %d, label %latch, label %inner
latch:
  %w = phi float [ 0.0, %outer ], [ %v1, %inner ]
  %o0 = mul i64 %km, %s
  %o = add i64 %o0, %t
  %q = getelementptr float, ptr %out, i64 %o
  store float %w, ptr %q
  %k1 = add i64 %k, 1
  %e = icmp eq i64 %k, %n
  br i1 %e, label %done, label %outer
done:
  ret void
}
;;; stdout
; s_add_i32
; s_add_u32
; s_addc_u32
; s_add_u32
; s_addc_u32
; s_add_u32
; v_cmp_gt_i64_e32 vcc, s[2:3], v[4:5]
; s_addc_u32
; s_and_b64 vcc, exec, vcc
; s_mov_b64 vcc, vcc
; s_cbranch_vccnz
; s_cselect_b32
; s_cselect_b32
; s_add_u32
; s_addc_u32
; s_add_u32
; s_addc_u32
;;; stdout[without]
; s_add_i32
; s_add_u32
; s_addc_u32
; s_add_u32
; s_addc_u32
; s_add_u32
; v_cmp_gt_i64_e32 vcc, s[2:3], v[4:5]
; s_addc_u32
; s_cbranch_vccnz
; s_cselect_b32
; s_cselect_b32
; s_add_u32
; s_addc_u32
; s_add_u32
; s_addc_u32
;;; stdout[optimized]
; s_add_i32
; s_add_i32
; s_add_u32
; s_addc_u32
; s_add_u32
; s_addc_u32
; s_add_u32
; v_cmp_gt_i64_e32 vcc, s[2:3], v[4:5]
; s_addc_u32
; s_and_b64 vcc, exec, vcc
; s_mov_b64 vcc, vcc
; s_cbranch_vccnz
; s_cselect_b32
; s_cselect_b32
; s_add_u32
; s_addc_u32
; s_add_u32
; s_addc_u32
;;; stdout[optimized-without]
; s_add_i32
; s_add_i32
; s_add_u32
; s_addc_u32
; s_add_u32
; s_addc_u32
; s_add_u32
; v_cmp_gt_i64_e32 vcc, s[2:3], v[4:5]
; s_addc_u32
; s_cbranch_vccnz
; s_cselect_b32
; s_cselect_b32
; s_add_u32
; s_addc_u32
; s_add_u32
; s_addc_u32
