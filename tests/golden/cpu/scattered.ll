; Threads store under a mask to places that are not consecutive. A thread that is not in the mask stores to a place that
; nothing reads, and no branch depends on data. The highest level of x86-64 has an instruction for it.
; RUN[select]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@rows.thread.vector(.*{/,/^}/p'
; RUN[highest]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu:x86-64-v4 | sed -n '/@rows.thread.vector(.*{/,/^}/p'
; CHECK[select]: %elsewhere = alloca i64
; CHECK[select]: call ptr asm "", "=r,0"(ptr %elsewhere)
; CHECK-NOT[select]: masked.scatter
; CHECK[select]: select i1 %{{.*}}, ptr %{{.*}}, ptr %
; CHECK[select]: store i32
; CHECK[highest]: call void @llvm.masked.scatter.v8i32

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @rows(ptr %a, ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %from = getelementptr i32, ptr %a, i64 %i
  %value = load i32, ptr %from, align 4
  %odd = trunc i32 %value to i1
  br i1 %odd, label %store, label %leave

store:
  %at = zext i32 %value to i64
  %to = getelementptr i32, ptr %out, i64 %at
  store i32 %x, ptr %to, align 4
  br label %leave

leave:
  ret void
}
