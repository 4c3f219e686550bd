; The range of a guard is computed for threads that never reach it: it takes over no promise such as `nuw`. Vectors
; would not pay, because the elements have a large stride.
; RUN: offloadc %s -O1 --emit=flavor=- --offload-arch=cpu | sed -n '/@inner.thread.range(.*{/,/^}/p'
; CHECK: define internal i64 @inner.thread.range
; CHECK-NOT: nuw
; CHECK: ret i64

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @inner(i32 %base, i32 %n, ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %some = icmp ult i32 %x, 10
  %wide = zext i32 %x to i64
  %to = getelementptr [16 x i32], ptr %out, i64 %wide
  store i32 1, ptr %to
  %t1 = getelementptr i8, ptr %to, i64 8
  store i32 1, ptr %t1
  %t2 = getelementptr i8, ptr %to, i64 16
  store i32 2, ptr %t2
  %t3 = getelementptr i8, ptr %to, i64 24
  store i32 3, ptr %t3
  %t4 = getelementptr i8, ptr %to, i64 32
  store i32 4, ptr %t4
  %t5 = getelementptr i8, ptr %to, i64 40
  store i32 5, ptr %t5
  br i1 %some, label %check, label %leave

check:
  %i = add nuw i32 %base, %x
  %in = icmp ult i32 %i, %n
  br i1 %in, label %write, label %leave

write:
  %behind = getelementptr i32, ptr %to, i64 64
  store i32 2, ptr %behind
  br label %leave

leave:
  ret void
}
