; The parts that the bodies of a library share can be invalid, too: here metadata of debug information.
; FAIL: llvm-as --disable-verify %s -o dep.bc && llvm-ar rcs libdep.rlib dep.bc && \
;   echo 'declare i32 @first(i32)' >in.ll && \
;   echo 'define ptx_kernel void @k(ptr %p) { call i32 @first(i32 7) ret void }' >>in.ll && \
;   offloadc in.ll --extern-rlib=libdep.rlib --offload-arch=cpu,gfx90a -o out.o

target triple = "x86_64-unknown-linux-gnu"

@table = internal global i32 0, !associated !0

define i32 @first(i32 %a) {
  %v = load i32, ptr @table
  ret i32 %v
}

!0 = !{}
;;; stderr
; error: cannot resolve the functions that kernels call: cannot use the functions out of `libdep.rlib`: associated metadata must have one operand
;   = note: it goes on:
;           ptr @table
;           !0 = !{}
