; ModuleID = 'kernel.c59111153e04c464-cgu.0'
source_filename = "kernel.c59111153e04c464-cgu.0"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@OFFSET = local_unnamed_addr global [8 x i8] c"\18-DT\FB!\09@", align 8, !guid !0
@alloc_e7f8312722df61f55618eb434b368c70 = private unnamed_addr constant [16 x i8] c"\CD\CC\CC=\17\B7\D18\00\00\80\7F\00\00\C0\7F", align 4, !guid !1

; kernel::factor
; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind nonlazybind willreturn memory(none) uwtable
define internal fastcc noundef float @_RNvCsgXDQF3icu1c_6kernel6factor(i64 noundef range(i64 0, 5) %at) unnamed_addr #0 !guid !6 {
start:
  %_3 = icmp samesign ult i64 %at, 4
  br i1 %_3, label %bb2, label %bb4

bb4:                                              ; preds = %start, %bb2
  %_0.sroa.0.0 = phi float [ %1, %bb2 ], [ -inf, %start ]
  ret float %_0.sroa.0.0

bb2:                                              ; preds = %start
  %0 = getelementptr inbounds nuw [4 x i8], ptr @alloc_e7f8312722df61f55618eb434b368c70, i64 %at
  %_4 = load float, ptr %0, align 4, !noundef !7
  %1 = fadd float %_4, 3.000000e-01
  br label %bb4
}

; kernel::offset
; Function Attrs: mustprogress nofree noinline norecurse nosync nounwind nonlazybind willreturn memory(read, argmem: none, inaccessiblemem: none, target_mem: none) uwtable
define internal fastcc noundef double @_RNvCsgXDQF3icu1c_6kernel6offset() unnamed_addr #1 !guid !8 {
start:
  %_0 = load double, ptr @OFFSET, align 8, !noundef !7
  ret double %_0
}

; Function Attrs: nofree norecurse nosync nounwind nonlazybind memory(read, argmem: readwrite, inaccessiblemem: none, target_mem: none) uwtable
define void @scale(ptr nofree noundef captures(none) %values, ptr nofree noundef captures(none) %wide, i32 noundef %len) unnamed_addr #2 personality ptr @rust_eh_personality !guid !9 {
start:
  %iter1 = zext i32 %len to i64
  %_133.not = icmp eq i32 %len, 0
  br i1 %_133.not, label %bb5, label %bb4

bb5:                                              ; preds = %bb4, %start
  ret void

bb4:                                              ; preds = %start, %bb4
  %iter.sroa.0.04 = phi i64 [ %0, %bb4 ], [ 0, %start ]
  %0 = add nuw nsw i64 %iter.sroa.0.04, 1
  %_9 = urem i64 %iter.sroa.0.04, 5
; call kernel::factor
  %_8 = tail call fastcc noundef float @_RNvCsgXDQF3icu1c_6kernel6factor(i64 noundef %_9)
  %_7 = fmul float %_8, f0x3F333333
  %_10 = getelementptr inbounds nuw [4 x i8], ptr %values, i64 %iter.sroa.0.04
  %1 = load float, ptr %_10, align 4, !noundef !7
  %2 = fmul float %1, %_7
  store float %2, ptr %_10, align 4
; call kernel::offset
  %_11 = tail call fastcc noundef double @_RNvCsgXDQF3icu1c_6kernel6offset()
  %_12 = getelementptr inbounds nuw [8 x i8], ptr %wide, i64 %iter.sroa.0.04
  %3 = load double, ptr %_12, align 8, !noundef !7
  %4 = fadd double %_11, %3
  store double %4, ptr %_12, align 8
  %exitcond.not = icmp eq i64 %0, %iter1
  br i1 %exitcond.not, label %bb5, label %bb4
}

; Function Attrs: nonlazybind
declare i32 @rust_eh_personality(...) unnamed_addr #3

attributes #0 = { mustprogress nofree noinline norecurse nosync nounwind nonlazybind willreturn memory(none) uwtable "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #1 = { mustprogress nofree noinline norecurse nosync nounwind nonlazybind willreturn memory(read, argmem: none, inaccessiblemem: none, target_mem: none) uwtable "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #2 = { nofree norecurse nosync nounwind nonlazybind memory(read, argmem: readwrite, inaccessiblemem: none, target_mem: none) uwtable "probe-stack"="inline-asm" "target-cpu"="x86-64" }
attributes #3 = { nonlazybind "target-cpu"="x86-64" }

!llvm.module.flags = !{!2, !3, !4}
!llvm.ident = !{!5}

!0 = !{i64 8094938657745963547}
!1 = !{i64 -4563001167944040718}
!2 = !{i32 8, !"PIC Level", i32 2}
!3 = !{i32 2, !"RtLibUseGOT", i32 1}
!4 = !{i32 7, !"uwtable", i32 2}
!5 = !{!"rustc version 1.99.1 (58cf8f9c3 2026-10-13)"}
!6 = !{i64 3866603503916480828}
!7 = !{}
!8 = !{i64 6403008575747912684}
!9 = !{i64 2563497542905672716}
