; LLVM's reader accepts a body that its verifier refuses. The error names the library, and is no internal one.
; FAIL: llvm-as --disable-verify %s -o dep.bc && llvm-ar rcs libdep.rlib dep.bc && \
;   echo 'declare i32 @first(i32)' >in.ll && \
;   echo 'define ptx_kernel void @k(ptr %p) { call i32 @first(i32 7) ret void }' >>in.ll && \
;   offloadc in.ll --extern-rlib=libdep.rlib --offload-arch=cpu,gfx90a -o out.o

target triple = "x86_64-unknown-linux-gnu"

define i32 @first(i32 %a) {
  %y = add i32 %x, 1
  %x = add i32 %a, 1
  ret i32 %y
}
;;; stderr
; error: cannot resolve the functions that kernels call: cannot take functions out of `libdep.rlib`: it contains an invalid function: Instruction does not dominate all uses!
;   = note: it goes on:
;             %x = add i32 %a, 1
;             %y = add i32 %x, 1
