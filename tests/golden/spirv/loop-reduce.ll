; Consumers accept a loop whose index is truncated to a byte and to 16 bits: no loop strength reduction before it.
; RUN: offloadc %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv
; FAIL=70@22[without]: offloadc -w %s --offload-arch=spirv64 --without-workaround=disable_loop_reduce --emit=image=k.spv

target triple = "x86_64-unknown-linux-gnu"

define void @k(ptr %p, ptr %q) {
e:
  br label %l
l:
  %i = phi i64 [ 0, %e ], [ %j, %l ]
  %j = add nuw nsw i64 %i, 1
  %x = load volatile i64, ptr %q
  %a = and i64 %x, 255
  %s = add nuw nsw i64 %a, %i
  %t = trunc nuw nsw i64 %s to i16
  %u = urem i16 %t, 48
  %z = zext nneg i16 %u to i64
  %g = getelementptr inbounds i64, ptr %p, i64 %z
  store i64 %i, ptr %g
  %c = icmp eq i64 %j, 48
  br i1 %c, label %d, label %l
d:
  ret void
}

@.kernels = internal constant ptr @k, section ".offload.kernels"
;;; stderr[without]
; error: internal error: cannot make the image for spirv64: the SPIR-V of kernel `k` is not valid: Expected operands to have the same bit width as Result Type: BitwiseAnd operand index 2
;   = note: it goes on:
;             %26 = OpBitwiseAnd %ushort %25 %ushort_255
