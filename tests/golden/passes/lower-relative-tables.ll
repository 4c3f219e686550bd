; A table of distances becomes a table of pointers. A table stays if its distances are from somewhere else or have another
; width, if it has other numbers, and if it is read in another way.
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

@elsewhere = internal constant [1 x i32] [
  i32 trunc (i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @b to i64)) to i32)]
@numbers = internal constant [2 x i32] [
  i32 trunc (i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @numbers to i64)) to i32), i32 7]
@wide = internal constant [1 x i64] [i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @wide to i64))]
@read = internal constant [1 x i32] [
  i32 trunc (i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @read to i64)) to i32)]

define void @kept(i64 %offset, ptr %out) {
  %p = call ptr @llvm.load.relative.i64(ptr @elsewhere, i64 %offset)
  store ptr %p, ptr %out
  %q = call ptr @llvm.load.relative.i64(ptr @numbers, i64 %offset)
  store ptr %q, ptr %out
  %r = call ptr @llvm.load.relative.i64(ptr @wide, i64 %offset)
  store ptr %r, ptr %out
  %s = call ptr @llvm.load.relative.i64(ptr @read, i64 %offset)
  store ptr %s, ptr %out
  %distance = load i32, ptr @read
  store i32 %distance, ptr %out
  ret void
}
;;; stdout
;
; @a = internal constant i32 1
; @b = internal constant i32 2
; @elsewhere = internal constant [1 x i32] [i32 trunc (i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @b to i64)) to i32)]
; @numbers = internal constant [2 x i32] [i32 trunc (i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @numbers to i64)) to i32), i32 7]
; @wide = internal constant [1 x i64] [i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @wide to i64))]
; @read = internal constant [1 x i32] [i32 trunc (i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @read to i64)) to i32)]
; @table = internal unnamed_addr constant [2 x ptr] [ptr @a, ptr @b], align 8
;
; define ptr @f(i64 %offset) {
;   %1 = mul i64 %offset, 2
;   %2 = getelementptr inbounds i8, ptr @table, i64 %1
;   %3 = load ptr, ptr %2, align 8
;   ret ptr %3
; }
;
; define void @kept(i64 %offset, ptr %out) {
;   %p = call ptr @llvm.load.relative.i64(ptr @elsewhere, i64 %offset)
;   store ptr %p, ptr %out, align 8
;   %q = call ptr @llvm.load.relative.i64(ptr @numbers, i64 %offset)
;   store ptr %q, ptr %out, align 8
;   %r = call ptr @llvm.load.relative.i64(ptr @wide, i64 %offset)
;   store ptr %r, ptr %out, align 8
;   %s = call ptr @llvm.load.relative.i64(ptr @read, i64 %offset)
;   store ptr %s, ptr %out, align 8
;   %distance = load i32, ptr @read, align 4
;   store i32 %distance, ptr %out, align 4
;   ret void
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
; declare ptr @llvm.load.relative.i64(ptr, i64) #0
;
; attributes #0 = { nocallback nofree nosync nounwind willreturn memory(argmem: read) }
