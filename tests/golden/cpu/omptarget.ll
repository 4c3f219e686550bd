; For libomptarget there is an entry point of slots under the kernel's name, which packs the arguments.
; RUN: offloadc %s -O1 --runtime=omptarget --emit=flavor=- --offload-arch=cpu | \
;   sed -n -e 's/__offload_cpu\.[0-9a-f]*/__offload_cpu.HASH/' -e '/^define void @scale/,/^}/p'

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @scale(ptr %io, float %by, i1 %flag) {
  %value = load float, ptr %io
  %scaled = fmul float %value, %by
  %result = select i1 %flag, float %scaled, float %value
  store float %result, ptr %io
  ret void
}
;;; stdout
; define void @scale(ptr %0, i64 %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7, i64 %8) #1 {
; entry:
;   %9 = alloca [16 x i8], align 8
;   %10 = alloca [3 x i32], align 4
;   %11 = alloca [3 x i32], align 4
;   %12 = ptrtoint ptr %0 to i64
;   %13 = add i64 %12, 1
;   %14 = icmp ult i64 %13, 2
;   br i1 %14, label %slots, label %array
;
; array:                                            ; preds = %entry
;   %15 = getelementptr inbounds i8, ptr %0, i64 0
;   %16 = load ptr, ptr %15, align 8
;   %17 = load i64, ptr %16, align 8
;   %18 = getelementptr inbounds i8, ptr %0, i64 8
;   %19 = load ptr, ptr %18, align 8
;   %20 = load i64, ptr %19, align 8
;   %21 = getelementptr inbounds i8, ptr %0, i64 16
;   %22 = load ptr, ptr %21, align 8
;   %23 = load i64, ptr %22, align 8
;   %24 = getelementptr inbounds i8, ptr %0, i64 24
;   %25 = load ptr, ptr %24, align 8
;   %26 = load i64, ptr %25, align 8
;   %27 = getelementptr inbounds i8, ptr %0, i64 32
;   %28 = load ptr, ptr %27, align 8
;   %29 = load i64, ptr %28, align 8
;   %30 = getelementptr inbounds i8, ptr %0, i64 40
;   %31 = load ptr, ptr %30, align 8
;   %32 = load i64, ptr %31, align 8
;   %33 = getelementptr inbounds i8, ptr %0, i64 48
;   %34 = load ptr, ptr %33, align 8
;   %35 = load i64, ptr %34, align 8
;   %36 = getelementptr inbounds i8, ptr %0, i64 56
;   %37 = load ptr, ptr %36, align 8
;   %38 = load i64, ptr %37, align 8
;   br label %slots
;
; slots:                                            ; preds = %array, %entry
;   %39 = phi i64 [ %1, %entry ], [ %17, %array ]
;   %40 = phi i64 [ %2, %entry ], [ %20, %array ]
;   %41 = phi i64 [ %3, %entry ], [ %23, %array ]
;   %42 = phi i64 [ %4, %entry ], [ %26, %array ]
;   %43 = phi i64 [ %5, %entry ], [ %29, %array ]
;   %44 = phi i64 [ %6, %entry ], [ %32, %array ]
;   %45 = phi i64 [ %7, %entry ], [ %35, %array ]
;   %46 = phi i64 [ %8, %entry ], [ %38, %array ]
;   %47 = lshr i64 %39, 0
;   %48 = trunc i64 %47 to i32
;   %49 = getelementptr inbounds i8, ptr %11, i64 0
;   store i32 %48, ptr %49, align 4
;   %50 = lshr i64 %39, 32
;   %51 = trunc i64 %50 to i32
;   %52 = getelementptr inbounds i8, ptr %11, i64 4
;   store i32 %51, ptr %52, align 4
;   %53 = lshr i64 %40, 0
;   %54 = trunc i64 %53 to i32
;   %55 = getelementptr inbounds i8, ptr %11, i64 8
;   store i32 %54, ptr %55, align 4
;   %56 = lshr i64 %40, 32
;   %57 = trunc i64 %56 to i32
;   %58 = getelementptr inbounds i8, ptr %10, i64 0
;   store i32 %57, ptr %58, align 4
;   %59 = lshr i64 %41, 0
;   %60 = trunc i64 %59 to i32
;   %61 = getelementptr inbounds i8, ptr %10, i64 4
;   store i32 %60, ptr %61, align 4
;   %62 = lshr i64 %41, 32
;   %63 = trunc i64 %62 to i32
;   %64 = getelementptr inbounds i8, ptr %10, i64 8
;   store i32 %63, ptr %64, align 4
;   %65 = getelementptr inbounds i8, ptr %9, i64 0
;   store i64 %44, ptr %65, align 8
;   %66 = getelementptr inbounds i8, ptr %9, i64 8
;   %67 = trunc i64 %45 to i32
;   store i32 %67, ptr %66, align 4
;   %68 = getelementptr inbounds i8, ptr %9, i64 12
;   %69 = trunc i64 %46 to i8
;   store i8 %69, ptr %68, align 1
;   %70 = trunc i64 %42 to i32
;   %71 = inttoptr i64 %43 to ptr
;   %72 = call i32 @offload_cpu_run(ptr @__offload_cpu.HASH.scale, ptr %11, ptr %10, i32 0, i32 %70, ptr %9, ptr %71)
;   %73 = icmp eq i32 %72, 0
;   br i1 %73, label %done, label %failed
;
; failed:                                           ; preds = %slots
;   call void @offload_cpu_end(i32 %72, ptr @offload.kernel_name)
;   unreachable
;
; done:                                             ; preds = %slots
;   ret void
; }
