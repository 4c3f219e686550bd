; Each thread reads one row, element by element: the loop is unrolled, and four elements are one load of each thread,
; which are transposed. A second loop executes the remaining iterations, also if the number of iterations is known. The
; order of the additions is that of the source. Stores are transposed in the same way, and a pair of 32 bits is one
; number.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@row.thread.vector(.*{/,/^}/p;/@backwards.thread.vector(.*{/,/^}/p'
; RUN[small]: offloadc %s -Os --emit=flavor=- --offload-arch=cpu | sed -n '/load <4 x float>/p' | wc -l
; RUN[hinted]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@hinted.thread.vector(.*{/,/^}/p' | grep -c 'load <4\|load float'
; RUN[apart]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu --cpu-vectorize=always | sed -n '/@gap.thread.vector(.*{/,/^}/p;/@check.thread.vector(.*{/,/^}/p;/@overlap.thread.vector(.*{/,/^}/p' | sed -n '/load <4/p' | wc -l
; CHECK: define internal void @row.thread.vector(
; CHECK: load <4 x float>, ptr %{{.*}}, align 4
; CHECK: <8 x i32> <i32 0, i32 8, i32 1, i32 9, i32 4, i32 12, i32 5, i32 13>
; CHECK: <8 x i32> <i32 2, i32 10, i32 3, i32 11, i32 6, i32 14, i32 7, i32 15>
; CHECK: fadd <8 x float>
; CHECK: fadd <8 x float>
; CHECK: fadd <8 x float>
; CHECK: fadd <8 x float>
; CHECK: store double
; CHECK: define internal void @backwards.thread.vector(
; CHECK: load <2 x double>, ptr %{{.*}}, align 8
; CHECK: store <2 x double>

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_panic(i32, i32, i64, i64, i64)

define ptx_kernel void @row(i64 %n, ptr noalias readonly %from, ptr noalias readonly %by, ptr noalias %to) {
start:
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr [64 x float], ptr %from, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %at = getelementptr float, ptr %own, i64 %k
  %value = load float, ptr %at, align 4
  %by.at = getelementptr float, ptr %by, i64 %k
  %factor = load float, ptr %by.at, align 4
  %product = fmul float %value, %factor
  %sum.next = fadd float %sum, %product
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, %n
  br i1 %done, label %end, label %loop

end:
  %out = getelementptr [3 x float], ptr %to, i64 %wide
  store float %sum.next, ptr %out, align 4
  %second = getelementptr float, ptr %out, i64 1
  store float %product, ptr %second, align 4
  ret void
}

; The loop stays as it is, because of a hint.
define ptx_kernel void @hinted(ptr noalias readonly %from, ptr noalias %to) {
start:
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr [64 x float], ptr %from, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %sum = phi float [ 0.0, %start ], [ %sum.next, %loop ]
  %at = getelementptr float, ptr %own, i64 %k
  %value = load float, ptr %at, align 4
  %half = fmul float %sum, 5.0
  %sum.next = fadd float %half, %value
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, 64
  br i1 %done, label %end, label %loop, !llvm.loop !0

end:
  %out = getelementptr float, ptr %to, i64 %wide
  store float %sum.next, ptr %out, align 4
  ret void
}

; From the last element on, followed by two adjacent stores of each thread.
define ptx_kernel void @backwards(ptr noalias readonly %from, ptr noalias %to) {
start:
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr [64 x double], ptr %from, i64 %wide
  br label %loop

loop:
  %k = phi i64 [ 63, %start ], [ %k.next, %loop ]
  %sum = phi double [ 0.0, %start ], [ %sum.next, %loop ]
  %at = getelementptr double, ptr %own, i64 %k
  %value = load double, ptr %at, align 8
  %half = fmul double %sum, 0.5
  %sum.next = fadd double %half, %value
  %k.next = add i64 %k, -1
  %done = icmp eq i64 %k, 0
  br i1 %done, label %end, label %loop

end:
  %out = getelementptr [3 x double], ptr %to, i64 %wide
  store double %sum.next, ptr %out, align 8
  %second = getelementptr double, ptr %out, i64 1
  store double %half, ptr %second, align 8
  ret void
}

; There is a gap between the elements of a thread.
define ptx_kernel void @gap(ptr noalias readonly %from, ptr noalias %to) {
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr [64 x float], ptr %from, i64 %wide
  %a = load float, ptr %own, align 4
  %b.at = getelementptr float, ptr %own, i64 1
  %b = load float, ptr %b.at, align 4
  %c.at = getelementptr float, ptr %own, i64 2
  %c = load float, ptr %c.at, align 4
  %e.at = getelementptr float, ptr %own, i64 4
  %e = load float, ptr %e.at, align 4
  %ab = fmul float %a, %b
  %ce = fmul float %c, %e
  %all = fadd float %ab, %ce
  %out = getelementptr float, ptr %to, i64 %wide
  store float %all, ptr %out, align 4
  ret void
}

; Two of four elements are read only after a check.
define ptx_kernel void @check(ptr noalias readonly %from, ptr noalias %to, i1 %fits) {
start:
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr [64 x i64], ptr %from, i64 %wide
  %a = load i32, ptr %own, align 4
  %b.at = getelementptr i32, ptr %own, i64 1
  %b = load i32, ptr %b.at, align 4
  %ab = mul i32 %a, %b
  br i1 %fits, label %next, label %panic

next:
  %c.at = getelementptr i32, ptr %own, i64 2
  %c = load i32, ptr %c.at, align 4
  %d.at = getelementptr i32, ptr %own, i64 3
  %d = load i32, ptr %d.at, align 4
  %cd = mul i32 %c, %d
  %all = add i32 %ab, %cd
  %out = getelementptr i32, ptr %to, i64 %wide
  store i32 %all, ptr %out, align 4
  ret void

panic:
  %index = zext i32 %ab to i64
  call void @__offload_panic(i32 0, i32 0, i64 0, i64 0, i64 %index)
  unreachable
}

; The second of four elements overlaps the third one: they have the bounds of a run, but are none.
define ptx_kernel void @overlap(ptr noalias readonly %from, ptr noalias %to) {
start:
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %own = getelementptr [64 x i64], ptr %from, i64 %wide
  %a = load i32, ptr %own, align 2
  %b.at = getelementptr i8, ptr %own, i64 6
  %b = load i32, ptr %b.at, align 2
  %c.at = getelementptr i8, ptr %own, i64 8
  %c = load i32, ptr %c.at, align 2
  %d.at = getelementptr i8, ptr %own, i64 12
  %d = load i32, ptr %d.at, align 2
  %ab = mul i32 %a, %b
  %cd = mul i32 %c, %d
  %all = add i32 %ab, %cd
  %out = getelementptr i32, ptr %to, i64 %wide
  store i32 %all, ptr %out, align 4
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
;;; stdout[small]
; 0
;;; stdout[hinted]
; 8
;;; stdout[apart]
; 0
