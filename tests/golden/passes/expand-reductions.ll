; A vector's sum is sums of its elements.
; RUN: offloadc %s --run-pass=expand_reductions --offload-arch=spirv64 | grep -v "^target"

define i32 @f(<2 x i32> %v) {
  %r = call i32 @llvm.vector.reduce.add.v2i32(<2 x i32> %v)
  ret i32 %r
}
;;; stdout
;
; define i32 @f(<2 x i32> %v) {
;   %1 = extractelement <2 x i32> %v, i64 0
;   %2 = extractelement <2 x i32> %v, i64 1
;   %3 = add i32 %1, %2
;   ret i32 %3
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
; declare i32 @llvm.vector.reduce.add.v2i32(<2 x i32>) #0
;
; attributes #0 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
