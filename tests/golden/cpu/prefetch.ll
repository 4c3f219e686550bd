; Each row of threads asks for the line that the block after the next one reads. Two elements of one array that are next
; to each other are asked for once. An address that does not depend on the number of the block is not prefetched.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@mean.thread.prefetch(.*{/,/^}/p'
; RUN[entry]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@__offload_cpu.*mean(.*{/,/^}/p'
; RUN[own]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | grep '^define'
; CHECK: call void @llvm.prefetch.p0(ptr %{{.*}}, i32 0, i32 2, i32 1)
; CHECK-NOT: call void @llvm.prefetch
; CHECK: ret void
; CHECK[entry]: call void @mean.thread.prefetch(
; CHECK[own]: @mean.thread.prefetch(
; CHECK-NOT[own]: @own.thread.prefetch(
; CHECK-NOT[own]: @second.thread.prefetch(

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare i32 @__offload_block_dim_x()

define ptx_kernel void @mean(ptr readonly %from, ptr %to, i64 %n) {
  %x = call i32 @__offload_thread_id_x()
  %block = call i32 @__offload_block_id_x()
  %dim = call i32 @__offload_block_dim_x()
  %first = mul i32 %block, %dim
  %index = add i32 %first, %x
  %i = zext i32 %index to i64
  %next = add i64 %i, 1
  %inside = icmp ult i64 %next, %n
  br i1 %inside, label %mean, label %done

mean:
  %a.at = getelementptr float, ptr %from, i64 %i
  %b.at = getelementptr float, ptr %from, i64 %next
  %a = load float, ptr %a.at
  %b = load float, ptr %b.at
  %sum = fadd float %a, %b
  %sum.at = getelementptr float, ptr %to, i64 %i
  store float %sum, ptr %sum.at
  br label %done

done:
  ret void
}

define ptx_kernel void @own(ptr readonly %from, ptr %to, i64 %n) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %inside = icmp ult i64 %i, %n
  br i1 %inside, label %copy, label %done

copy:
  %a.at = getelementptr float, ptr %from, i64 %i
  %a = load float, ptr %a.at
  %a.to = getelementptr float, ptr %to, i64 %i
  store float %a, ptr %a.to
  br label %done

done:
  ret void
}

define ptx_kernel void @second(ptr readonly %from, ptr %to, i64 %n) {
  %x = call i32 @__offload_thread_id_x()
  %dim = call i32 @__offload_block_dim_x()
  %index = add nuw i32 %dim, %x
  %i = zext i32 %index to i64
  %inside = icmp ult i64 %i, %n
  br i1 %inside, label %copy, label %done

copy:
  %a.at = getelementptr float, ptr %from, i64 %i
  %a = load float, ptr %a.at
  %a.to = getelementptr float, ptr %to, i64 %i
  store float %a, ptr %a.to
  br label %done

done:
  ret void
}
