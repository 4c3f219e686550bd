; A table of distances becomes a table of pointers.
; RUN: offloadc %s --run-pass=lower_relative_tables | grep -v "^target"

@a = internal constant i32 1
@b = internal constant i32 2
@table = internal constant [2 x i32] [
  i32 trunc (i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @table to i64)) to i32),
  i32 trunc (i64 sub (i64 ptrtoint (ptr @b to i64), i64 ptrtoint (ptr @table to i64)) to i32)]

define ptr @f(i64 %offset) {
  %p = call ptr @llvm.load.relative.i64(ptr @table, i64 %offset)
  ret ptr %p
}
;;; stdout
;
; @a = internal constant i32 1
; @b = internal constant i32 2
; @table = internal unnamed_addr constant [2 x ptr] [ptr @a, ptr @b], align 8
;
; define ptr @f(i64 %offset) {
;   %1 = mul i64 %offset, 2
;   %2 = getelementptr inbounds i8, ptr @table, i64 %1
;   %3 = load ptr, ptr %2, align 8
;   ret ptr %3
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
; declare ptr @llvm.load.relative.i64(ptr, i64) #0
;
; attributes #0 = { nocallback nofree nosync nounwind willreturn memory(argmem: read) }
