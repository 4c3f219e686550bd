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
;   %9 = alloca [3 x i32], align 4
;   %10 = alloca [3 x i32], align 4
;   %11 = lshr i64 %1, 0
;   %12 = trunc i64 %11 to i32
;   %13 = getelementptr inbounds i8, ptr %9, i64 0
;   store i32 %12, ptr %13, align 4
;   %14 = lshr i64 %1, 32
;   %15 = trunc i64 %14 to i32
;   %16 = getelementptr inbounds i8, ptr %9, i64 4
;   store i32 %15, ptr %16, align 4
;   %17 = lshr i64 %2, 0
;   %18 = trunc i64 %17 to i32
;   %19 = getelementptr inbounds i8, ptr %9, i64 8
;   store i32 %18, ptr %19, align 4
;   %20 = lshr i64 %2, 32
;   %21 = trunc i64 %20 to i32
;   %22 = getelementptr inbounds i8, ptr %10, i64 0
;   store i32 %21, ptr %22, align 4
;   %23 = lshr i64 %3, 0
;   %24 = trunc i64 %23 to i32
;   %25 = getelementptr inbounds i8, ptr %10, i64 4
;   store i32 %24, ptr %25, align 4
;   %26 = lshr i64 %3, 32
;   %27 = trunc i64 %26 to i32
;   %28 = getelementptr inbounds i8, ptr %10, i64 8
;   store i32 %27, ptr %28, align 4
;   %29 = alloca [16 x i8], align 8
;   %30 = getelementptr inbounds i8, ptr %29, i64 0
;   store i64 %6, ptr %30, align 8
;   %31 = getelementptr inbounds i8, ptr %29, i64 8
;   %32 = trunc i64 %7 to i32
;   store i32 %32, ptr %31, align 4
;   %33 = getelementptr inbounds i8, ptr %29, i64 12
;   %34 = trunc i64 %8 to i8
;   store i8 %34, ptr %33, align 1
;   %35 = trunc i64 %4 to i32
;   %36 = inttoptr i64 %5 to ptr
;   %37 = call i32 @offload_cpu_run(ptr @__offload_cpu.HASH.scale, ptr %9, ptr %10, i32 0, i32 %35, ptr %29, ptr %36)
;   %38 = icmp eq i32 %37, 0
;   br i1 %38, label %done, label %failed
;
; failed:                                           ; preds = %entry
;   call void @offload_cpu_end(i32 %37, ptr @offload.kernel_name)
;   unreachable
;
; done:                                             ; preds = %entry
;   ret void
; }
