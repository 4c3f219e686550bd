; `--ptxas-arg` passes arguments to NVIDIA's assembler, also via a slice; they change the image and need the assembler.
; RUN: offloadc %s --offload-arch=sm_80-real --ptxas "$(command -v ptxas)" --ptxas-arg=--maxrregcount=24 --ptxas-arg -w '-###' 2>&1 -o x.o | \
;   grep -o -e '--maxrregcount=24 -w -v'
; RUN[job]: offloadc %s --offload-arch=sm_80-real --ptxas "$(command -v ptxas)" --ptxas-arg=--maxrregcount=24 --emit=slice=s && \
;   offloadc job s --offload-arch=sm_80-real --ptxas "$(command -v ptxas)" -v -o image 2>&1 | grep -o -e '--maxrregcount=24 -v'
; RUN[cache]: for n in 24 32 24; do offloadc %s --offload-arch=sm_80-real --ptxas "$(command -v ptxas)" --cache-dir=c -v \
;   --ptxas-arg=--maxrregcount=$n -o $n.o 2>&1 | grep -c -e "-maxrregcount=$n -v" || true; done
; FAIL=2[without]: offloadc %s --offload-arch=sm_80 --ptxas-arg=-w -o x.o
; FAIL[wrong]: offloadc %s --offload-arch=sm_80 --ptxas "$(command -v ptxas)" --ptxas-arg=--no-such -o x.o 2>&1 | grep -o "Unknown option.*$"
; REQUIRES: ptxas

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p, i32 %n) {
  store i32 %n, ptr %p
  ret void
}
;;; stdout
; --maxrregcount=24 -w -v
;;; stdout[job]
; --maxrregcount=24 -v
;;; stdout[cache]
; 1
; 1
; 0
;;; stderr[without]
; error: `--ptxas-arg` needs NVIDIA's assembler; name it with `--ptxas`
;;; stdout[wrong]
; Unknown option '-no-such'
