; A table of distances, which LLVM's host passes make of a table of pointers, becomes one of pointers again.
; RUN: offloadc %s --kernel=k --offload-arch=sm_80 --emit=legalize=-
; RUN[every]: offloadc %s --kernel=k --offload-arch=cpu,sm_80,gfx90a,spirv64 -o out.o

target triple = "x86_64-unknown-linux-gnu"

@a = private constant [1 x i8] c"a"
@b = private constant [3 x i8] c"bcd"
@table = private constant [3 x i32] [
  i32 trunc (i64 sub (i64 ptrtoint (ptr @a to i64), i64 ptrtoint (ptr @table to i64)) to i32),
  i32 trunc (i64 sub (i64 ptrtoint (ptr @b to i64), i64 ptrtoint (ptr @table to i64)) to i32),
  i32 trunc (i64 sub (i64 ptrtoint (ptr getelementptr (i8, ptr @b, i64 1) to i64), i64 ptrtoint (ptr @table to i64)) to i32)]

declare ptr @llvm.load.relative.i64(ptr, i64)

define void @k(ptr %out, i64 %i) {
  %offset = shl i64 %i, 2
  %name = call ptr @llvm.load.relative.i64(ptr @table, i64 %offset)
  %letter = load i8, ptr %name
  store i8 %letter, ptr %out
  ret void
}
;;; stdout
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; @a = internal constant [1 x i8] c"a"
; @b = internal constant [3 x i8] c"bcd"
; @table = internal unnamed_addr constant [3 x ptr] [ptr @a, ptr @b, ptr getelementptr (i8, ptr @b, i64 1)], align 8
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
; declare ptr @llvm.load.relative.i64(ptr, i64) #0
;
; define void @k(ptr %out, i64 %i) {
;   %offset = shl i64 %i, 2
;   %1 = mul i64 %offset, 2
;   %2 = getelementptr inbounds i8, ptr @table, i64 %1
;   %3 = load ptr, ptr %2, align 8
;   %letter = load i8, ptr %3, align 1
;   store i8 %letter, ptr %out, align 1
;   ret void
; }
;
; attributes #0 = { nocallback nofree nosync nounwind willreturn memory(argmem: read) }
