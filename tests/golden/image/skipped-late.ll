; An arch whose code turns out to be impossible to make is left out, too. An output that cannot be written is no fault
; of an arch.
;
; RUN[left-out]: offloadc %s --skip-refused-archs --offload-arch=sm_70,gfx90a --ptx-version=6.0 -o out.o; \
;   offloadc inspect out.o | grep -E '^  (sm_70|gfx90a)'
; FAIL[none-left]: offloadc %s --skip-refused-archs --offload-arch=sm_70,sm_72 --ptx-version=6.1 -o out.o
; FAIL[not-written]: mkdir skipped-late.codegen.sm_70.s; \
;   offloadc %s --skip-refused-archs --offload-arch=sm_70,sm_80 --emit=codegen

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_arch()
declare i32 @__offload_intrinsic.llvm.nvvm.activemask()

define ptx_kernel void @k(ptr %out) {
  %arch = call i32 @__offload_arch()
  %target = lshr i32 %arch, 24
  %is_nvidia = icmp eq i32 %target, 2
  br i1 %is_nvidia, label %nvidia, label %other
nvidia:
  %mask = call i32 @__offload_intrinsic.llvm.nvvm.activemask()
  store i32 %mask, ptr %out
  ret void
other:
  ret void
}
;;; stdout[left-out]
;   gfx90a  amdgcn-amd-amdhsa  object  2640
;;; stderr[left-out]
; warning: `llvm.nvvm.activemask` needs PTX 6.2, but `--ptx-version` asks for 6.0
;   = note: for sm_70
; warning[OFC0040]: `sm_70` is left out: the output has no code for it
;   = note: `llvm.nvvm.activemask` needs PTX 6.2, but `--ptx-version` asks for 6.0
;;; stderr[none-left]
; error: `llvm.nvvm.activemask` needs PTX 6.2, but `--ptx-version` asks for 6.1
;   = note: for sm_70, sm_72
;;; stderr[not-written]
; error: cannot generate code for sm_70: cannot write `skipped-late.codegen.sm_70.s`: it is a directory
