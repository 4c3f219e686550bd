; Hints whose types LLVM fixes to the host's pointers are removed, with their declarations.
; RUN: offloadc %s --run-pass=erase_fixed_hints --offload-arch=spirv64 | grep -v "^target"

define void @f(ptr %p) {
  %from = call ptr @llvm.invariant.start.p0(i64 8, ptr %p)
  ret void
}
;;; stdout
;
; define void @f(ptr %p) {
;   ret void
; }
