; Without `--offload-arch`, a note names the arch that is compiled for, and the option that removes the note.
; RUN[said]: offloadc %s -o out.o
; RUN[hidden]: offloadc %s -Wno-default-arch -o out.o

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p) {
  store i32 1, ptr %p
  ret void
}
;;; stderr[said]
; note[OFC0002]: no `--offload-arch` is given, so kernels run on the `cpu` only
;   = help: name the GPUs as well: `--offload-arch=cpu,sm_80,gfx90a`
