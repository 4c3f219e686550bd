; On SPIR-V, which has a copy but no fill and no move, those of a known size are loads and stores.
; RUN: offloadc %s --run-pass=split_copies_of --offload-arch=spirv64 | grep -vE "^(target|declare|attributes|; Function)"

define void @f(ptr align 4 %to, ptr align 4 %from, i64 %n) {
  call void @llvm.memset.p0.i64(ptr align 4 %to, i8 1, i64 6, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 8, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 %n, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 8, i1 false)
  ret void
}
;;; stdout
;
; define void @f(ptr align 4 %to, ptr align 4 %from, i64 %n) {
;   %1 = getelementptr inbounds i8, ptr %to, i64 0
;   store i32 16843009, ptr %1, align 4
;   %2 = getelementptr inbounds i8, ptr %to, i64 4
;   store i16 257, ptr %2, align 2
;   %3 = getelementptr inbounds i8, ptr %from, i64 0
;   %4 = load i32, ptr %3, align 4
;   %5 = getelementptr inbounds i8, ptr %from, i64 4
;   %6 = load i32, ptr %5, align 4
;   %7 = getelementptr inbounds i8, ptr %to, i64 0
;   store i32 %4, ptr %7, align 4
;   %8 = getelementptr inbounds i8, ptr %to, i64 4
;   store i32 %6, ptr %8, align 4
;   call void @llvm.memmove.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 %n, i1 false)
;   call void @llvm.memcpy.p0.p0.i64(ptr align 4 %to, ptr align 4 %from, i64 8, i1 false)
;   ret void
; }
;
;
;
;
