; Scalar instructions that take the address of a local array and leave SCC as it is, between a comparison and the
; selections of its result. LLVM then computes the address in a vector register, which such an instruction cannot read.
; RUN[gfx90a]: offloadc -w %s --offload-arch=gfx90a --emit=codegen=-
; CHECK[gfx90a]: hashed:
; CHECK[gfx90a]: v_readfirstlane_b32
; CHECK[gfx90a]: s_cmp_gt_u32
; CHECK[gfx90a]: s_brev_b32
; RUN[all]: for arch in gfx942 gfx1030 gfx1100 gfx1201; do offloadc -w %s --offload-arch=$arch --emit=codegen=code; done
; FAIL@22[without]: offloadc -w %s --offload-arch=gfx90a --without-workaround=copy_frame_addresses --emit=codegen=code 2>&1 | \
;   grep -o "Illegal instruction detected: Operand has incorrect register class"

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_block_id_x()
declare i32 @__offload_block_id_y()
declare i32 @llvm.bitreverse.i32(i32)

define internal i32 @fill(ptr %p, i32 %i) noinline {
  %e = getelementptr i32, ptr %p, i32 %i
  store volatile i32 3, ptr %e
  %r = load volatile i32, ptr %p
  ret i32 %r
}

define internal i32 @hashed() noinline {
  %a = alloca [16 x i32]
  %b = alloca [16 x i32]
  store volatile i32 1, ptr %a
  store volatile i32 2, ptr %b
  %block = call i32 @__offload_block_id_x()
  %other = call i32 @__offload_block_id_y()
  %c = icmp ugt i32 %block, %other
  %i = ptrtoint ptr %b to i32
  %m = mul i32 %i, 1234567
  %v = call i32 @llvm.bitreverse.i32(i32 %i)
  %n = select i1 %c, i32 %v, i32 %m
  %k = select i1 %c, i32 %m, i32 9
  %z = add i32 %n, %k
  %l = call i32 @fill(ptr %a, i32 2)
  ret i32 %z
}

define ptx_kernel void @k(ptr %out) {
  %r = call i32 @hashed()
  store i32 %r, ptr %out
  ret void
}
;;; stdout[without]
; Illegal instruction detected: Operand has incorrect register class
