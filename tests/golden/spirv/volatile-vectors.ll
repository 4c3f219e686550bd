; A volatile access to a vector whose length SPIR-V lacks is one access for each element.
; RUN: offloadc %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && \
;   spirv-dis k.spv | grep -o -e 'OpLoad.*Volatile.*' -e 'OpStore.*Volatile.*' | grep -o -e 'Op[A-Za-z]*' -e 'Volatile.*'

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p) {
  %v = load volatile <5 x float>, ptr %p, align 32
  %w = fadd <5 x float> %v, %v
  store volatile <5 x float> %w, ptr %p, align 8
  %one = load volatile <1 x i32>, ptr %p
  store volatile <1 x i32> %one, ptr %p
  %pointers = load volatile <2 x ptr>, ptr %p
  %first = extractelement <2 x ptr> %pointers, i32 0
  store i32 1, ptr %first
  ret void
}
;;; stdout
; OpLoad
; Volatile|Aligned 32
; OpLoad
; Volatile|Aligned 4
; OpLoad
; Volatile|Aligned 8
; OpLoad
; Volatile|Aligned 4
; OpLoad
; Volatile|Aligned 16
; OpStore
; Volatile|Aligned 8
; OpStore
; Volatile|Aligned 4
; OpStore
; Volatile|Aligned 8
; OpStore
; Volatile|Aligned 4
; OpStore
; Volatile|Aligned 8
; OpLoad
; Volatile|Aligned 4
; OpStore
; Volatile|Aligned 4
; OpLoad
; Volatile|Aligned 16
; OpLoad
; Volatile|Aligned 8
