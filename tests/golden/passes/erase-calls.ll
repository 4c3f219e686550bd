; Hints that only an optimiser reads are removed.
; RUN: offloadc %s --run-pass=erase_calls --offload-arch=spirv64 | grep -v "^target"

define void @f(i1 %c) {
  call void @llvm.assume(i1 %c)
  call void @llvm.donothing()
  ret void
}
;;; stdout
;
; define void @f(i1 %c) {
;   ret void
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
; declare void @llvm.assume(i1 noundef) #0
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(none)
; declare void @llvm.donothing() #1
;
; attributes #0 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
; attributes #1 = { nocallback nofree nosync nounwind willreturn memory(none) }
