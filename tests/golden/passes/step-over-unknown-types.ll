; Steps through types that SPIR-V lacks count bytes, and locals of them are bytes.
; RUN: offloadc %s --run-pass=step_over_unknown_types --offload-arch=spirv64 | grep -v "^target"

define ptr @f(i64 %i) {
  %local = alloca <7 x i32>
  %at = getelementptr <7 x i32>, ptr %local, i64 0, i64 %i
  ret ptr %at
}
;;; stdout
;
; define ptr @f(i64 %i) {
;   %1 = alloca [32 x i8], align 32
;   %at.idx = mul i64 %i, 4
;   %at1 = getelementptr i8, ptr %1, i64 %at.idx
;   ret ptr %at1
; }
