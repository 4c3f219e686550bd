; As in CMake, `-real` asks for machine code and `-virtual` for PTX; `--nvptx-image` is for archs without a suffix.
; RUN: offloadc %s --offload-arch=sm_70,sm_80-real,sm_90-virtual --ptxas "$(command -v ptxas)" -o x.o; \
;   offloadc inspect x.o | awk '$3 == "ptx" || $3 == "cubin" { print $1, $3 }'
; RUN[cubin]: offloadc %s --offload-arch=sm_70,sm_80-virtual --nvptx-image=cubin --ptxas "$(command -v ptxas)" -o x.o; \
;   offloadc inspect x.o | awk '$3 == "ptx" || $3 == "cubin" { print $1, $3 }'
; RUN[ptx]: offloadc %s --offload-arch=sm_70,sm_70-virtual --nvptx-image=ptx --ptxas "$(command -v ptxas)" -o x.o; \
;   offloadc inspect x.o | awk '$3 == "ptx" || $3 == "cubin" { print $1, $3 }'
; FAIL=2[none]: offloadc %s --offload-arch=sm_80-real -o x.o
; REQUIRES: ptxas

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %out) {
  store i32 1, ptr %out
  ret void
}
;;; stdout
; sm_70 cubin
; sm_70 ptx
; sm_80 cubin
; sm_90 ptx
; k cubin
; k ptx
; k cubin
; k ptx
; k cubin
; k cubin
;;; stdout[cubin]
; sm_70 cubin
; sm_80 ptx
; k cubin
; k ptx
; k cubin
;;; stdout[ptx]
; sm_70 ptx
; k ptx
;;; stderr[none]
; error: machine code for `sm_80` needs NVIDIA's assembler; name it with `--ptxas`
