; A volatile access to a struct is one access for each field, also if the struct has empty parts.
; RUN: offloadc %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && \
;   spirv-dis k.spv | grep -o -e 'OpLoad.*Volatile.*' -e 'OpStore.*Volatile.*' | grep -o -e 'Op[A-Za-z]*' -e 'Volatile.*'

target triple = "x86_64-unknown-linux-gnu"

%nested = type { { i8, i32 }, {}, [2 x i16], [0 x i8] }

define ptx_kernel void @k(ptr %p, ptr %q) {
  %v = load volatile %nested, ptr %p
  store volatile %nested %v, ptr %q
  ret void
}
;;; stdout
; OpLoad
; Volatile|Aligned 4
; OpLoad
; Volatile|Aligned 4
; OpLoad
; Volatile|Aligned 4
; OpLoad
; Volatile|Aligned 4
; OpLoad
; Volatile|Aligned 2
; OpStore
; Volatile|Aligned 4
; OpStore
; Volatile|Aligned 4
; OpStore
; Volatile|Aligned 4
; OpStore
; Volatile|Aligned 4
; OpStore
; Volatile|Aligned 2
