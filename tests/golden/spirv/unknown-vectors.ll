; SPIR-V has no vectors of 7, none of pointers, and none of single bits in memory: code steps through them in bytes, locals
; and statics of them are bytes or arrays of the same layout, and functions do not take them.
; RUN[image]: for level in 0 2; do offloadc -w %s -O$level --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv; done
; RUN[statics]: offloadc -w %s -O2 --offload-arch=spirv64 --emit=optimize=- | grep -E '^@(seven|bits|field) '

target triple = "x86_64-unknown-linux-gnu"

@seven = internal constant <7 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
@bits = internal constant <9 x i1> <i1 1, i1 0, i1 1, i1 0, i1 1, i1 0, i1 0, i1 1, i1 1>
@field = internal constant { i8, <3 x i16>, i8, <5 x i16> } { i8 1, <3 x i16> <i16 1, i16 2, i16 3>, i8 2, <5 x i16> <i16 4, i16 5, i16 6, i16 7, i16 8> }
@shared = internal global [2 x <7 x i32>] poison, section ".offload.shared"

define internal <7 x i32> @square(<7 x i32> %x, <4 x ptr> %pointers) noinline {
  %y = mul <7 x i32> %x, %x
  %p = extractelement <4 x ptr> %pointers, i32 1
  store volatile i32 3, ptr %p
  ret <7 x i32> %y
}

define void @k(ptr %p, i64 %i) {
  %local = alloca { i8, <7 x i32> }
  %in_vector = getelementptr <7 x i32>, ptr %p, i64 0, i64 %i
  store volatile i32 5, ptr %in_vector
  %behind = getelementptr { i8, <7 x i32> }, ptr %local, i64 0, i32 1, i64 %i
  store volatile i32 6, ptr %behind
  %of_pointers = getelementptr <4 x ptr>, ptr %p, i64 %i
  store volatile i32 7, ptr %of_pointers
  %a = getelementptr i8, ptr @seven, i64 %i
  %b = getelementptr i8, ptr @bits, i64 %i
  %c = getelementptr i8, ptr @field, i64 %i
  %d = getelementptr [2 x <7 x i32>], ptr @shared, i64 0, i64 %i
  %av = load volatile i8, ptr %a
  store volatile i8 %av, ptr %p
  %bv = load volatile i8, ptr %b
  store volatile i8 %bv, ptr %d
  %cv = load volatile i8, ptr %c
  store volatile i8 %cv, ptr %p
  %v = load <7 x i32>, ptr %p
  %pointers = load <4 x ptr>, ptr %p
  %w = call <7 x i32> @square(<7 x i32> %v, <4 x ptr> %pointers)
  %x = call <7 x i32> @square(<7 x i32> %w, <4 x ptr> %pointers)
  store <7 x i32> %x, ptr %p
  ret void
}

@.kernels = internal constant ptr @k, section ".offload.kernels"
;;; stdout[statics]
; @seven = internal addrspace(1) constant <{ [7 x i32], [4 x i8] }> <{ [7 x i32] [i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7], [4 x i8] zeroinitializer }>, align 32
; @bits = internal addrspace(1) constant [2 x i8] c"\95\01", align 2
; @field = internal addrspace(1) constant <{ i8, [7 x i8], <3 x i16>, i8, [15 x i8], <{ [5 x i16], [6 x i8] }> }> <{ i8 1, [7 x i8] zeroinitializer, <3 x i16> <i16 1, i16 2, i16 3>, i8 2, [15 x i8] zeroinitializer, <{ [5 x i16], [6 x i8] }> <{ [5 x i16] [i16 4, i16 5, i16 6, i16 7, i16 8], [6 x i8] zeroinitializer }> }>, align 16
