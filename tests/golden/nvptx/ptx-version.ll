; PTX has the lowest version that the arch and the code need, and the image names the driver; `--ptx-version` pins it.
; RUN: offloadc %s --offload-arch=sm_60,sm_70,sm_80,sm_90a --emit=codegen --emit=object=x.o; grep -h ^.version *.s; \
;   offloadc inspect x.o | grep nvptx64
; RUN[pinned]: offloadc %s --offload-arch=sm_70,sm_80 --emit=codegen --ptx-version=8.1; grep -h ^.version *.s
; FAIL[code]: offloadc %s --offload-arch=sm_70 --ptx-version=6.1 -o x.o
; FAIL=2[arch]: offloadc %s --offload-arch=sm_90 --ptx-version=7.5 -o x.o
; FAIL=2[unknown]: offloadc %s --offload-arch=sm_90 --ptx-version=7.9 -o x.o

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_intrinsic.llvm.nvvm.activemask()

define ptx_kernel void @k(ptr %out) {
  %mask = call i32 @__offload_intrinsic.llvm.nvvm.activemask()
  store i32 %mask, ptr %out
  ret void
}
;;; stdout
; .version 6.2
; .version 6.2
; .version 7.0
; .version 8.0
;   sm_60   nvptx64-nvidia-cuda  ptx   304    driver 396.26, PTX 6.2
;   sm_70   nvptx64-nvidia-cuda  ptx   304    driver 396.26, PTX 6.2
;   sm_80   nvptx64-nvidia-cuda  ptx   304    driver 450.36, PTX 7.0
;   sm_90a  nvptx64-nvidia-cuda  ptx   305    driver 525.60, PTX 8.0
;;; stdout[pinned]
; .version 8.1
; .version 8.1
;;; stderr[code]
; error: `llvm.nvvm.activemask` needs PTX 6.2, but `--ptx-version` asks for 6.1
;   = note: for sm_70
;;; stderr[arch]
; error: PTX 7.5 does not support `sm_90`; the lowest version that does is 7.8
;;; stderr[unknown]
; error: invalid value '7.9' for '--ptx-version <VERSION>': the versions are 6.0, 6.1, 6.2, 6.3, 6.4, 6.5, 7.0, 7.1, 7.2, 7.3, 7.4, 7.5, 7.6, 7.7, 7.8, 8.0, 8.1, 8.2, 8.3, 8.4, 8.5, 8.6, 8.7, 8.8, 9.0
;
; For more information, try '--help'.
