; A program without kernels becomes host code only, with a warning that shows how to mark one, and no section of ours.
; RUN[compile]: offloadc %s --offload-arch=cpu,sm_80 -o out.o && llvm-readobj --sections out.o | grep -ci offload || true
; RUN[quiet]: offloadc %s --offload-arch=cpu -Wno-no-kernel -o out.o && llvm-nm --format=just-symbols out.o

target triple = "x86_64-unknown-linux-gnu"

define i32 @main() {
  ret i32 0
}
;;; stdout[compile]
; 0
;;; stderr[compile]
; warning[OFC0001]: no kernel found; the output contains host code only
;   = help: call `__offload_kernel(f)` on a function, or name exported functions with `--kernel=GLOB`
;   = help: or put pointers to functions into section `.offload.kernels`
;;; stdout[quiet]
; main
