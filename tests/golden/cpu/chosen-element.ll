; A choice between the addresses of two elements of a thread's array, such as those of `array[(j + 2) % 5]`, becomes
; one between their numbers. Elements of all threads then lie side by side. If the elements are of two arrays, if their
; numbers count elements of different sizes, or if they show parts of an element, each thread keeps a separate array,
; and gather elements.
; RUN[chosen]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu --cpu-vectorize=always | \
;   sed -n '/@turn.thread.vector(.*{/,/^}/p' | grep 'select\|alloca \[\|i64 %.* = load\|load <8'
; CHECK[chosen]: alloca [384 x i8], align 16
; CHECK[chosen]: select i1 {{.*}}, i64 -3, i64 2
; CHECK[chosen]: load <8 x i64>
; CHECK-NOT[chosen]: select
; RUN[others]: for change in 's/ptr %at, i64 -24/ptr %behind, i64 -24/' \
;       's/i8, ptr %at, i64 -24/i64, ptr %at, i64 %j/' 's/%at, i64 -24/%at, i64 -20/'; do \
;     sed "$change" %s > input.ll; \
;     offloadc input.ll -O2 --emit=flavor=- --offload-arch=cpu --cpu-vectorize=always | \
;       sed -n '/@turn.thread.vector(.*{/,/^}/p' | grep -c 'load <8'; done || true

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define ptx_kernel void @turn(ptr %to, i64 %n) {
start:
  %own = alloca [5 x i64], align 8
  %others = alloca [5 x i64], align 8
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  call void @llvm.memset.p0.i64(ptr align 8 %own, i8 0, i64 40, i1 false)
  call void @llvm.memset.p0.i64(ptr align 8 %others, i8 1, i64 40, i1 false)
  br label %mix

mix:
  %j = phi i64 [ 0, %start ], [ %j.next, %mix ]
  %j.next = add nuw i64 %j, 1
  %k = urem i64 %j, 5
  %at = getelementptr i64, ptr %own, i64 %k
  %behind = getelementptr i64, ptr %others, i64 %k
  %before = getelementptr i8, ptr %at, i64 -24
  %after = getelementptr i8, ptr %at, i64 16
  %wraps = icmp ugt i64 %k, 2
  %place = select i1 %wraps, ptr %before, ptr %after
  %other = load i64, ptr %place, align 8
  %sum = add i64 %other, %wide
  store i64 %sum, ptr %at, align 8
  store i64 %j, ptr %behind, align 8
  %done = icmp uge i64 %j.next, %n
  br i1 %done, label %leave, label %mix

leave:
  %out = getelementptr i64, ptr %to, i64 %wide
  %result = load i64, ptr %own, align 8
  store i64 %result, ptr %out, align 8
  ret void
}
;;; stdout[others]
; 0
; 0
; 0
