; All rewrites of one function run together: single bits, hints, sums that return an overflow.
; RUN: offloadc %s --run-pass=legalize_functions --offload-arch=spirv64 | grep -v "^target"

define i1 @f(i32 %a, i32 %b, i1 %c) {
  call void @llvm.assume(i1 %c)
  %both = call { i32, i1 } @llvm.uadd.with.overflow.i32(i32 %a, i32 %b)
  %over = extractvalue { i32, i1 } %both, 1
  %r = add i1 %over, %c
  ret i1 %r
}
;;; stdout
;
; define i1 @f(i32 %a, i32 %b, i1 %c) {
;   %1 = add i32 %a, %b
;   %2 = icmp ult i32 %1, %a
;   %3 = xor i1 %2, %c
;   ret i1 %3
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
; declare void @llvm.assume(i1 noundef) #0
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare { i32, i1 } @llvm.uadd.with.overflow.i32(i32, i32) #1
;
; attributes #0 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
; attributes #1 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
