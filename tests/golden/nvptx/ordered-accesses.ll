; Loads and stores keep their ordering on GPUs without a memory model, by fences around relaxed accesses.
; RUN: offloadc -w %s --offload-arch=sm_60 --emit=codegen=- | grep -oE "(membar|(ld|st).volatile)[.a-z0-9]*"
; FAIL[without]: offloadc -w %s --offload-arch=sm_60 --without-workaround=order_with_fences --emit=codegen=-

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p, ptr %q) {
  %f = load atomic i32, ptr %q acquire, align 4
  store atomic i32 %f, ptr %p release, align 4
  ret void
}
;;; stdout
; ld.volatile.global.b32
; membar.sys
; membar.sys
; st.volatile.global.b32
;;; stderr[without]
; error: LLVM has no code for the kernels while generating code for sm_60, kernel `k`: PTX does not support "atomic" for orderings different than"NotAtomic" or "Monotonic" for sm_60 or older, but order is: "release".
