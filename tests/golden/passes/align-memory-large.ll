; Shared memory keeps its alignment if a module has more than 32 KiB of it, because the gaps could exceed a block's limit: the
; sizes count with their gaps, so an array of 32753 bytes and a flag are too much. A thread's arrays are aligned all the same.
; On AMD GPUs those stay as they are, too.
; RUN: offloadc %s --run-pass=align_memory --offload-arch=sm_80 --kernel=k | grep -E "alloca|^@"
; RUN[amd]: sed 's/@tile = internal.*/@tile = internal addrspace(3) global [64 x float] undef, align 4/' %s | \
;   offloadc - --run-pass=align_memory --offload-arch=gfx90a --kernel=k | grep -E "alloca|^@"

@tile = internal addrspace(3) global [32753 x i8] undef, align 4
@flag = internal addrspace(3) global i8 undef, align 1

define void @k(ptr %out) {
  %array = alloca [8 x i32], align 4
  store i32 0, ptr %array
  store i8 0, ptr addrspace(3) @tile
  store i8 1, ptr addrspace(3) @flag
  ret void
}
;;; stdout
; @tile = internal addrspace(3) global [32753 x i8] undef, align 4
; @flag = internal addrspace(3) global i8 undef, align 1
;   %array = alloca [8 x i32], align 16
;;; stdout[amd]
; @tile = internal addrspace(3) global [64 x float] undef, align 16
; @flag = internal addrspace(3) global i8 undef, align 1
;   %array = alloca [8 x i32], align 4
