; Arrays of 16 bytes and more, of a thread and of a block, are aligned to 16 bytes. Smaller objects, arrays whose length the
; function computes, shared memory that is defined elsewhere, and other memory are not.
; RUN: offloadc %s --run-pass=align_memory --offload-arch=sm_80 --kernel=k | grep -E "alloca|^@"

@tile = internal addrspace(3) global [64 x float] undef, align 4
@flag = internal addrspace(3) global i32 undef, align 4
@outside = external addrspace(3) global [64 x float], align 4
@table = internal addrspace(1) global [64 x float] zeroinitializer, align 4

define void @k(ptr %out) {
  %array = alloca [8 x i32], align 4
  %wide = alloca [8 x i64], align 32
  %number = alloca i64, align 8
  %length = ptrtoint ptr %out to i32
  %computed = alloca i32, i32 %length, align 4
  store i32 0, ptr %array
  store i32 0, ptr %computed
  store i64 0, ptr %wide
  store i64 0, ptr %number
  store float 0.0, ptr addrspace(3) @tile
  store i32 1, ptr addrspace(3) @flag
  store float 1.0, ptr addrspace(3) @outside
  store float 1.0, ptr addrspace(1) @table
  ret void
}
;;; stdout
; @tile = internal addrspace(3) global [64 x float] undef, align 16
; @flag = internal addrspace(3) global i32 undef, align 4
; @outside = external addrspace(3) global [64 x float], align 4
; @table = internal addrspace(1) global [64 x float] zeroinitializer, align 4
;   %array = alloca [8 x i32], align 16
;   %wide = alloca [8 x i64], align 32
;   %number = alloca i64, align 8
;   %computed = alloca i32, i32 %length, align 4
