; A copy of a known size is loads and stores; one of an unknown size stays.
; RUN: offloadc %s --run-pass=split_copies --offload-arch=sm_80 | grep -v "^target"

define void @f(ptr align 8 %to, ptr align 8 %from, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %from, i64 20, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %from, i64 %n, i1 false)
  ret void
}
;;; stdout
;
; define void @f(ptr align 8 %to, ptr align 8 %from, i64 %n) {
;   %1 = getelementptr inbounds i8, ptr %from, i64 0
;   %2 = load i64, ptr %1, align 8
;   %3 = getelementptr inbounds i8, ptr %from, i64 8
;   %4 = load i64, ptr %3, align 8
;   %5 = getelementptr inbounds i8, ptr %from, i64 16
;   %6 = load i32, ptr %5, align 4
;   %7 = getelementptr inbounds i8, ptr %to, i64 0
;   store i64 %2, ptr %7, align 8
;   %8 = getelementptr inbounds i8, ptr %to, i64 8
;   store i64 %4, ptr %8, align 8
;   %9 = getelementptr inbounds i8, ptr %to, i64 16
;   store i32 %6, ptr %9, align 4
;   call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %from, i64 %n, i1 false)
;   ret void
; }
;
; ; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
; declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #0
;
; attributes #0 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
