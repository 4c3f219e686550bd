; Atomic loads and stores are atomic in SPIR-V, and barriers order the memory of the device and of the block.
; RUN: offloadc -w %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && spirv-dis k.spv | grep -oE "Op(Atomic|Memory|Load|Store).*"
; RUN@22[without]: offloadc -w %s --offload-arch=spirv64 --without-workaround=order_with_barriers --emit=image=k.spv && \
;   spirv-dis k.spv | grep -oE "Op(Atomic|Memory|Load|Store).*"

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p, ptr %q) {
  %f = load atomic i32, ptr %q acquire, align 4
  store atomic i32 %f, ptr %p release, align 4
  ret void
}
;;; stdout
; OpMemoryModel Physical64 OpenCL
; OpAtomicLoad %uint %q %8 %8
; OpMemoryBarrier %8 %uint_770
; OpMemoryBarrier %8 %uint_772
; OpAtomicStore %p %8 %8 %12
;;; stdout[without]
; OpMemoryModel Physical64 OpenCL
; OpLoad %uint %q Aligned 4
; OpStore %p %9 Aligned 4
