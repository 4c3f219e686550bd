; A pointer that is selected among constants only, and its `phi` with another: LLVM's inference of address spaces would crash.
; RUN: for arch in sm_80 gfx90a gfx1100; do offloadc -w %s --offload-arch=$arch --emit=codegen=code; done
; FAIL=70@22[without]: offloadc -w %s --offload-arch=sm_80 --without-workaround=freeze_chosen_constants --emit=codegen=-

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p, ptr %q) {
  %c = load volatile i1, ptr %p
  br i1 %c, label %a, label %b
a:
  %d = load volatile i1, ptr %p
  %n = select i1 %d, ptr null, ptr inttoptr (i64 3 to ptr)
  br label %m
b:
  br label %m
m:
  %e = phi ptr [ %n, %a ], [ %q, %b ]
  %f = getelementptr i8, ptr %e, i64 1
  store volatile i8 3, ptr %f
  ret void
}
;;; stderr[without]
; error: internal error: a segmentation fault while optimizing the device module for sm_80, pass `run_pipeline`
