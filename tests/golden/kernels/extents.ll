; The size of the memory that a pointer refers to is known if the IR has it, and so is how the kernel accesses it.
; RUN: offloadc %s --offload-arch=cpu --kernel=* --emit=kernels=-
; RUN[inspect]: offloadc %s --offload-arch=cpu --kernel=* -o a.o && offloadc inspect a.o | grep -A9 parameter

target triple = "x86_64-unknown-linux-gnu"

define void @known(ptr readonly dereferenceable(4096) %x, i32 %n, ptr dereferenceable(16) %y, ptr writeonly dereferenceable(8) %z, ptr readnone dereferenceable(4) %w) {
  ret void
}

define void @unknown(ptr readonly %x, ptr byval([64 x i8]) dereferenceable(64) align 8 %v) {
  ret void
}
;;; stdout
; known (known): plain, found by `--kernel`
;   0: pointer at 0, 8 bytes, aligned to 8; reads 4096 bytes
;   1: value at 8, 4 bytes, aligned to 4
;   2: pointer at 16, 8 bytes, aligned to 8; reads and writes 16 bytes
;   3: pointer at 24, 8 bytes, aligned to 8; writes 8 bytes
;   4: pointer at 32, 8 bytes, aligned to 8; uses none of 4 bytes
; unknown (unknown): plain, found by `--kernel`
;   0: pointer at 0, 8 bytes, aligned to 8
;   1: value at 8, 64 bytes, aligned to 8
;;; stdout[inspect]
;     parameter  offset  size  align  kind
;     0          0       8     8      pointer; reads 4096 bytes
;     1          8       4     4      value
;     2          16      8     8      pointer; reads and writes 16 bytes
;     3          24      8     8      pointer; writes 8 bytes
;     4          32      8     8      pointer; uses none of 4 bytes
;   unknown: 72 argument bytes, 0 shared bytes; has cpu code
;     parameter  offset  size  align  kind
;     0          0       8     8      pointer
;     1          8       64    8      value
