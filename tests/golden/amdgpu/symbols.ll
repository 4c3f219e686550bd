; A code object has the symbols of its kernels, and none of the constants that LLVM's back end writes for each function.
; RUN: offloadc -w %s --offload-arch=gfx90a --emit=image=k.out && llvm-readelf -s k.out | grep -c "ABS k\." || true
; RUN@22[without]: offloadc -w %s --offload-arch=gfx90a --without-workaround=forget_constants --emit=image=k.out && \
;   llvm-readelf -s k.out | grep -o "ABS k\..*"

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p) {
  store i32 1, ptr %p
  ret void
}
;;; stdout
; 0
;;; stdout[without]
; ABS k.private_seg_size
; ABS k.num_vgpr
; ABS k.num_agpr
; ABS k.numbered_sgpr
; ABS k.uses_vcc
; ABS k.uses_flat_scratch
; ABS k.has_dyn_sized_stack
; ABS k.has_recursion
