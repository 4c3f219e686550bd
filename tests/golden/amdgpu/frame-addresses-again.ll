; One condition decides over local arrays and over a number, so its SCC is needed after the selection of the arrays.
; LLVM then computes the address of an array in a vector register, which the selection cannot read.
; RUN: for arch in gfx90a gfx942 gfx1030 gfx1100 gfx1201; do offloadc -w %s --offload-arch=$arch --emit=codegen=code; done
; FAIL@22[without]: offloadc -w %s --offload-arch=gfx90a --without-workaround=copy_frame_addresses --emit=codegen=code 2>&1 | \
;   grep -o "Illegal instruction detected: Operand has incorrect register class"

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_block_id_x()
declare i32 @__offload_block_id_y()

define internal i32 @fill(ptr %p, i32 %i) noinline {
  %e = getelementptr i32, ptr %p, i32 %i
  store volatile i32 3, ptr %e
  %r = load volatile i32, ptr %p
  ret i32 %r
}

define internal i32 @pick(i32 %x) noinline {
  %a = alloca [16 x i32]
  %b = alloca [1600 x i32]
  %d = alloca [3 x i64]
  store volatile i32 1, ptr %a
  store volatile i32 2, ptr %b
  store volatile i32 2, ptr %d
  %block = call i32 @__offload_block_id_x()
  %other = call i32 @__offload_block_id_y()
  %c = icmp ugt i32 %block, %other
  %c2 = icmp slt i32 %block, 0
  %b1 = getelementptr i8, ptr %b, i32 2048
  %p = select i1 %c, ptr %a, ptr %b1
  %p2 = select i1 %c2, ptr %d, ptr %p
  %r = call i32 @fill(ptr %p2, i32 %x)
  %n = select i1 %c, i32 5, i32 %other
  %s = add i32 %r, %n
  ret i32 %s
}

define ptx_kernel void @k(ptr %out, i32 %x) {
  %r = call i32 @pick(i32 %x)
  store i32 %r, ptr %out
  ret void
}
;;; stdout[without]
; Illegal instruction detected: Operand has incorrect register class
