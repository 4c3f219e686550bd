; Generic archs need a later version of the code object.
; RUN: offloadc %s --run-pass=set_code_object_version --offload-arch=gfx90a | grep -v "^target"
; RUN[generic]: offloadc %s --run-pass=set_code_object_version --offload-arch=gfx9-generic | grep -v "^target"

define void @f() {
  ret void
}
;;; stdout
;
; define void @f() {
;   ret void
; }
;
; !llvm.module.flags = !{!0}
;
; !0 = !{i32 2, !"amdhsa_code_object_version", i32 500}
;;; stdout[generic]
;
; define void @f() {
;   ret void
; }
;
; !llvm.module.flags = !{!0}
;
; !0 = !{i32 2, !"amdhsa_code_object_version", i32 600}
