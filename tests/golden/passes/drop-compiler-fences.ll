; Fences of one thread are removed; those of several stay.
; RUN: offloadc %s --run-pass=drop_compiler_fences --offload-arch=sm_80 | grep -v "^target"

define void @f() {
  fence syncscope("singlethread") seq_cst
  fence seq_cst
  ret void
}
;;; stdout
;
; define void @f() {
;   fence seq_cst
;   ret void
; }
