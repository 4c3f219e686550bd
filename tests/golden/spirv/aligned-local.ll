; A local that is aligned to more than 64 bytes becomes a part of a larger one: LLVM writes larger alignments wrongly.
; RUN: offloadc -w -O1 %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && spirv-dis k.spv | grep -oE "Alignment .*|OpConstant .* (192|704|4032|255|4095)$"
; RUN@22[without]: offloadc -w %s --offload-arch=spirv64 --without-workaround=align_locals -O1 --emit=image=k.spv; spirv-dis k.spv | grep -oE "Alignment .*"

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %out, i64 %i) {
  %near = alloca [64 x i64], align 256
  %far = alloca [64 x i64], align 4096
  %a = getelementptr i64, ptr %near, i64 %i
  store volatile i64 1, ptr %a
  %b = getelementptr i64, ptr %far, i64 %i
  store volatile i64 2, ptr %b
  %x = load volatile i64, ptr %near, align 256
  store i64 %x, ptr %out
  ret void
}
;;; stdout
; Alignment 64
; Alignment 64
; OpConstant %uint 704
; OpConstant %ulong 4095
; OpConstant %ulong 255
;;; stdout[without]
; Alignment 0
; Alignment 0
