; Images are compressed together; `inspect` shows them as they are loaded, and how many bytes of the file each of them takes.
; RUN: offloadc %s --offload-arch=cpu,sm_80,sm_90 --compress=zstd -o x.o && \
;   offloadc inspect x.o | awk 'NR == 1 || NR == 4; NR > 4 && NR < 7 { $4 = ($4 > 0); $5 = ($5 > 0); print }'
; RUN[json]: offloadc %s --offload-arch=cpu,sm_80,sm_90 --compress=zstd -o x.o && offloadc inspect x.o --json | \
;   awk '/"compressed_bytes"/ { print ($2 + 0 > 0) }'
; RUN[stages]: offloadc %s --offload-arch=sm_80 --compress=zstd --emit=bundle=a -o x.o && \
;   offloadc %s --offload-arch=sm_80 --compress=none --emit=bundle=b -o y.o && cmp a b; cmp -s x.o y.o || echo different
; FAIL=2[omptarget]: offloadc %s --offload-arch=cpu --runtime=omptarget --compress=zstd -o x.o

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p, i32 %n) {
  store i32 %n, ptr %p
  ret void
}
;;; stdout
; x.o: object, 3 images, 1 kernel
;   arch   triple                    kind  bytes  compressed  notes
; sm_80 nvptx64-nvidia-cuda ptx 1 1 driver 450.36, PTX 7.0
; sm_90 nvptx64-nvidia-cuda ptx 1 1 driver 520.61, PTX 7.8
;;; stdout[json]
; 1
; 1
; 0
;;; stdout[stages]
; different
;;; stderr[omptarget]
; error: `--runtime=omptarget` cannot read compressed images
;   = help: omit `--compress`, or type `--runtime=offloadrt`
