; The first thread of a block has three numbers that are zero, of which LLVM compares the bits together. The threads
; that are executed together compare their own numbers separately, without vectors.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@first.thread.vector(.*{/,/^}/p'
; CHECK: call void @first.thread.vector.scalar.0(

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_thread_id_y()
declare i32 @__offload_thread_id_z()

define ptx_kernel void @first(ptr %a, ptr %out, ptr %count) {
  %x = call i32 @__offload_thread_id_x()
  %y = call i32 @__offload_thread_id_y()
  %z = call i32 @__offload_thread_id_z()
  %i = zext i32 %x to i64
  %from = getelementptr i32, ptr %a, i64 %i
  %value = load i32, ptr %from, align 4
  %more = mul i32 %value, %value
  %to = getelementptr i32, ptr %out, i64 %i
  store i32 %more, ptr %to, align 4
  %yz = or i32 %z, %y
  %all = or i32 %yz, %x
  %is_first = icmp eq i32 %all, 0
  br i1 %is_first, label %store, label %leave

store:
  store i32 1, ptr %count, align 4
  br label %leave

leave:
  ret void
}
