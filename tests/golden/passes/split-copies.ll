; A copy or a fill of a known size is loads and stores, of 16 bytes where it is aligned so. One of memory that may overlap
; loads everything first. One of an unknown size stays, and so do a long one, and one that is volatile.
; RUN: offloadc %s --run-pass=split_copies --offload-arch=sm_80 | grep -v "^target"

define void @f(ptr align 8 %to, ptr align 8 %from, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %from, i64 20, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %from, i64 %n, i1 false)
  ret void
}

define void @others(ptr %to, ptr %from, i8 %byte) {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %from, i64 257, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %from, i64 8, i1 true)
  call void @llvm.memmove.p0.p0.i64(ptr align 16 %to, ptr align 16 %from, i64 36, i1 false)
  call void @llvm.memset.p0.i64(ptr align 16 %to, i8 %byte, i64 27, i1 false)
  %logarithm = call float @llvm.log.f32(float 2.0)
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
; define void @others(ptr %to, ptr %from, i8 %byte) {
;   call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %from, i64 257, i1 false)
;   call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %from, i64 8, i1 true)
;   %1 = getelementptr inbounds i8, ptr %from, i64 0
;   %2 = load <4 x i32>, ptr %1, align 16
;   %3 = getelementptr inbounds i8, ptr %from, i64 16
;   %4 = load <4 x i32>, ptr %3, align 16
;   %5 = getelementptr inbounds i8, ptr %from, i64 32
;   %6 = load i32, ptr %5, align 4
;   %7 = getelementptr inbounds i8, ptr %to, i64 0
;   store <4 x i32> %2, ptr %7, align 16
;   %8 = getelementptr inbounds i8, ptr %to, i64 16
;   store <4 x i32> %4, ptr %8, align 16
;   %9 = getelementptr inbounds i8, ptr %to, i64 32
;   store i32 %6, ptr %9, align 4
;   %10 = zext i8 %byte to i64
;   %11 = mul i64 %10, 72340172838076673
;   %12 = trunc i64 %11 to i32
;   %13 = insertelement <4 x i32> poison, i32 %12, i32 0
;   %14 = insertelement <4 x i32> %13, i32 %12, i32 1
;   %15 = insertelement <4 x i32> %14, i32 %12, i32 2
;   %16 = insertelement <4 x i32> %15, i32 %12, i32 3
;   %17 = getelementptr inbounds i8, ptr %to, i64 0
;   store <4 x i32> %16, ptr %17, align 16
;   %18 = getelementptr inbounds i8, ptr %to, i64 16
;   store i64 %11, ptr %18, align 8
;   %19 = trunc i64 %11 to i16
;   %20 = getelementptr inbounds i8, ptr %to, i64 24
;   store i16 %19, ptr %20, align 2
;   %21 = trunc i64 %11 to i8
;   %22 = getelementptr inbounds i8, ptr %to, i64 26
;   store i8 %21, ptr %22, align 1
;   %logarithm = call float @llvm.log.f32(float 2.000000e+00)
;   ret void
; }
;
; ; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
; declare float @llvm.log.f32(float) #0
;
; ; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
; declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #1
;
; ; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
; declare void @llvm.memmove.p0.p0.i64(ptr writeonly captures(none), ptr readonly captures(none), i64, i1 immarg) #1
;
; ; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
; declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #2
;
; attributes #0 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
; attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
; attributes #2 = { nocallback nofree nounwind willreturn memory(argmem: write) }
