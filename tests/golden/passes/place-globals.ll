; Statics move into the address space of their role; each use is a cast back to the generic one. Statics that LLVM
; itself reads, and statics with an address space, stay.
; RUN: offloadc %s --run-pass=place_globals --offload-arch=gfx90a | grep -v "^target"
; RUN[constant]: offloadc %s --run-pass=place_globals --offload-arch=sm_80 | grep -v "^target"

@table = internal constant [2 x i32] [i32 1, i32 2]
@counter = internal global i32 0
@tile = internal global [64 x float] zeroinitializer, section ".offload.shared"
@asked = internal constant i32 3, section ".offload.constant"
@placed = internal addrspace(3) global i32 poison
@llvm.used = appending global [1 x ptr] [ptr @counter], section "llvm.metadata"

define i32 @f(i64 %i) {
  %at = getelementptr i32, ptr @table, i64 %i
  %a = load i32, ptr %at
  store i32 %a, ptr @counter
  store i32 %a, ptr @tile
  store i32 %a, ptr addrspace(3) @placed
  %b = load i32, ptr @asked
  ret i32 %b
}
;;; stdout
;
; @table = internal addrspace(4) constant [2 x i32] [i32 1, i32 2]
; @counter = internal addrspace(1) global i32 0
; @tile = internal addrspace(3) global [64 x float] poison
; @asked = internal addrspace(4) constant i32 3
; @placed = internal addrspace(3) global i32 poison
; @llvm.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @counter to ptr)], section "llvm.metadata"
;
; define i32 @f(i64 %i) {
;   %at = getelementptr i32, ptr addrspacecast (ptr addrspace(4) @table to ptr), i64 %i
;   %a = load i32, ptr %at, align 4
;   store i32 %a, ptr addrspacecast (ptr addrspace(1) @counter to ptr), align 4
;   store i32 %a, ptr addrspacecast (ptr addrspace(3) @tile to ptr), align 4
;   store i32 %a, ptr addrspace(3) @placed, align 4
;   %b = load i32, ptr addrspacecast (ptr addrspace(4) @asked to ptr), align 4
;   ret i32 %b
; }
;;; stdout[constant]
;
; @table = internal addrspace(1) constant [2 x i32] [i32 1, i32 2]
; @counter = internal addrspace(1) global i32 0
; @tile = internal addrspace(3) global [64 x float] poison
; @asked = internal addrspace(4) constant i32 3
; @placed = internal addrspace(3) global i32 poison
; @llvm.used = appending global [1 x ptr] [ptr addrspacecast (ptr addrspace(1) @counter to ptr)], section "llvm.metadata"
;
; define i32 @f(i64 %i) {
;   %at = getelementptr i32, ptr addrspacecast (ptr addrspace(1) @table to ptr), i64 %i
;   %a = load i32, ptr %at, align 4
;   store i32 %a, ptr addrspacecast (ptr addrspace(1) @counter to ptr), align 4
;   store i32 %a, ptr addrspacecast (ptr addrspace(3) @tile to ptr), align 4
;   store i32 %a, ptr addrspace(3) @placed, align 4
;   %b = load i32, ptr addrspacecast (ptr addrspace(4) @asked to ptr), align 4
;   ret i32 %b
; }
