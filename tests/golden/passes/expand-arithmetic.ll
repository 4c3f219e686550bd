; A sum that tells whether it overflowed becomes plain instructions.
; RUN: offloadc %s --run-pass=expand_arithmetic --offload-arch=spirv64 | grep -v "^target"

define i1 @f(i32 %a, i32 %b) {
  %both = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %a, i32 %b)
  %over = extractvalue { i32, i1 } %both, 1
  ret i1 %over
}
;;; stdout
;
; define i1 @f(i32 %a, i32 %b) {
;   %1 = add i32 %a, %b
;   %2 = xor i32 %a, %1
;   %3 = xor i32 %b, %1
;   %4 = and i32 %2, %3
;   %5 = icmp slt i32 %4, 0
;   ret i1 %5
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32) #0
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
