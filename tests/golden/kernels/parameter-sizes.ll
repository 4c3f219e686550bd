; Each parameter takes the bytes of its own fields, with the host's alignment.
; RUN: offloadc %s --offload-arch=cpu --kernel=* --emit=kernels=-

target triple = "x86_64-unknown-linux-gnu"

define void @scalars(i1 zeroext %a, i8 %b, half %c, i16 %d, i128 %e, i24 %f, double %g) { ret void }
define void @structs({ i64, i64 } %a, { double, float } %b, { i8, { i32, i8 } } %c, [3 x i16] %d) { ret void }
define void @vectors(<2 x float> %a, <4 x float> %b, <3 x i32> %c, i8 %d) { ret void }
define void @memory(ptr byval({ i64, i64, i32 }) align 8 %a, i32 %b, ptr byval([32 x i8]) align 16 %c) { ret void }
define void @pointers(ptr %a, ptr addrspace(1) %b, { ptr, i64 } %c) { ret void }
define void @nothing() { ret void }
define void @empty({} %a, [0 x i32] %b, i32 %c) { ret void }
;;; stdout
; scalars (scalars): plain, found by `--kernel`
;   0: value at 0, 1 bytes, aligned to 1
;   1: value at 1, 1 bytes, aligned to 1
;   2: value at 2, 2 bytes, aligned to 2
;   3: value at 4, 2 bytes, aligned to 2
;   4: value at 16, 16 bytes, aligned to 16
;   5: value at 32, 3 bytes, aligned to 4
;   6: value at 40, 8 bytes, aligned to 8
; structs (structs): plain, found by `--kernel`
;   0: value at 0, 16 bytes, aligned to 8
;   1: value at 16, 12 bytes, aligned to 8
;   2: value at 28, 9 bytes, aligned to 4
;   3: value at 38, 6 bytes, aligned to 2
; vectors (vectors): plain, found by `--kernel`
;   0: value at 0, 8 bytes, aligned to 8
;   1: value at 16, 16 bytes, aligned to 16
;   2: value at 32, 12 bytes, aligned to 16
;   3: value at 44, 1 bytes, aligned to 1
; memory (memory): plain, found by `--kernel`
;   0: value at 0, 24 bytes, aligned to 8
;   1: value at 24, 4 bytes, aligned to 4
;   2: value at 32, 32 bytes, aligned to 16
; pointers (pointers): plain, found by `--kernel`
;   0: pointer at 0, 8 bytes, aligned to 8
;   1: pointer at 8, 8 bytes, aligned to 8
;   2: value at 16, 16 bytes, aligned to 8
; nothing (nothing): plain, found by `--kernel`
; empty (empty): plain, found by `--kernel`
;   0: value at 0, 0 bytes, aligned to 1
;   1: value at 0, 0 bytes, aligned to 4
;   2: value at 0, 4 bytes, aligned to 4
