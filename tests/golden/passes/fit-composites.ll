; A vector type that SPIR-V lacks becomes an array, an empty array a byte; a type that SPIR-V has stays.
; RUN: offloadc %s --run-pass=fit_composites --offload-arch=spirv64 | grep -v "^target"

@seven = addrspace(1) constant <7 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
@none = addrspace(1) constant [0 x i32] zeroinitializer
@four = addrspace(1) constant <4 x i32> <i32 1, i32 2, i32 3, i32 4>

define ptr addrspace(1) @f(i1 %c) {
  %p = select i1 %c, ptr addrspace(1) @seven, ptr addrspace(1) @none
  ret ptr addrspace(1) %p
}
;;; stdout
;
; @four = addrspace(1) constant <4 x i32> <i32 1, i32 2, i32 3, i32 4>
; @seven = addrspace(1) constant <{ [7 x i32], [4 x i8] }> <{ [7 x i32] [i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7], [4 x i8] zeroinitializer }>, align 32
; @none = addrspace(1) constant i8 0, align 4
;
; define ptr addrspace(1) @f(i1 %c) {
;   %p = select i1 %c, ptr addrspace(1) @seven, ptr addrspace(1) @none
;   ret ptr addrspace(1) %p
; }
