; The extent of a guard is computed for threads that never come to it: it takes over no promise such as `nuw`.
; RUN: offloadc %s -O1 --emit=flavor=- --offload-arch=cpu | sed -n '/@inner.thread.extent(.*{/,/^}/p'
; CHECK: define internal i32 @inner.thread.extent
; CHECK-NOT: nuw
; CHECK: ret i32

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @inner(i32 %base, i32 %n, ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %some = icmp ult i32 %x, 10
  %wide = zext i32 %x to i64
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 1, ptr %to
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
