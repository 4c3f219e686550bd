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
; define void @scale(ptr %0, i64 %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6, i64 %7) #1 {
; entry:
;   %8 = alloca [3 x i32], align 4
;   %9 = alloca [3 x i32], align 4
;   %10 = lshr i64 %1, 0
;   %11 = trunc i64 %10 to i32
;   %12 = getelementptr inbounds i8, ptr %8, i64 0
;   store i32 %11, ptr %12, align 4
;   %13 = lshr i64 %1, 32
;   %14 = trunc i64 %13 to i32
;   %15 = getelementptr inbounds i8, ptr %8, i64 4
;   store i32 %14, ptr %15, align 4
;   %16 = lshr i64 %2, 0
;   %17 = trunc i64 %16 to i32
;   %18 = getelementptr inbounds i8, ptr %8, i64 8
;   store i32 %17, ptr %18, align 4
;   %19 = lshr i64 %2, 32
;   %20 = trunc i64 %19 to i32
;   %21 = getelementptr inbounds i8, ptr %9, i64 0
;   store i32 %20, ptr %21, align 4
;   %22 = lshr i64 %3, 0
;   %23 = trunc i64 %22 to i32
;   %24 = getelementptr inbounds i8, ptr %9, i64 4
;   store i32 %23, ptr %24, align 4
;   %25 = lshr i64 %3, 32
;   %26 = trunc i64 %25 to i32
;   %27 = getelementptr inbounds i8, ptr %9, i64 8
;   store i32 %26, ptr %27, align 4
;   %28 = alloca [16 x i8], align 8
;   %29 = getelementptr inbounds i8, ptr %28, i64 0
;   store i64 %5, ptr %29, align 8
;   %30 = getelementptr inbounds i8, ptr %28, i64 8
;   %31 = trunc i64 %6 to i32
;   store i32 %31, ptr %30, align 4
;   %32 = getelementptr inbounds i8, ptr %28, i64 12
;   %33 = trunc i64 %7 to i8
;   store i8 %33, ptr %32, align 1
;   %34 = trunc i64 %4 to i32
;   %35 = call i32 @offload_cpu_run(ptr @__offload_cpu.HASH.scale, ptr %8, ptr %9, i32 0, i32 %34, ptr %28)
;   %36 = icmp eq i32 %35, 0
;   br i1 %36, label %done, label %failed
;
; failed:                                           ; preds = %entry
;   call void @llvm.trap()
;   unreachable
;
; done:                                             ; preds = %entry
;   ret void
; }
