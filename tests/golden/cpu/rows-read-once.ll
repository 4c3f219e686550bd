; The block and the arguments are read before the loops over the rows of a block. A block of one row would gain nothing:
; its kernel promises that, or does not ask for y and z.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | grep 'define .*@__offload_cpu'
; CHECK: several(ptr {{.*}} dereferenceable(96) %0, ptr {{.*}} dereferenceable(16) %1)
; CHECK: one(ptr noalias noundef nonnull readonly align 8 %0, ptr noalias noundef nonnull readonly align 8 %1)
; CHECK: promised(ptr {{.*}} dereferenceable(96) %0, ptr {{.*}} dereferenceable(8) %1)
; CHECK: promised_one(ptr noalias noundef nonnull readonly align 8 %0, ptr noalias noundef nonnull readonly align 8 %1)
; CHECK: without_arguments(ptr {{.*}} dereferenceable(96) %0, ptr noalias noundef nonnull readonly align 8 %1)

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_thread_id_y()
declare void @__offload_block_size(i32, i32, i32)

define ptx_kernel void @several(ptr %to, i64 %more) {
  %x = call i32 @__offload_thread_id_x()
  %y = call i32 @__offload_thread_id_y()
  %i = add i32 %x, %y
  %out = getelementptr i32, ptr %to, i64 %more
  store i32 %i, ptr %out, align 4
  ret void
}

define ptx_kernel void @one(ptr %to) {
  %x = call i32 @__offload_thread_id_x()
  store i32 %x, ptr %to, align 4
  ret void
}

define ptx_kernel void @promised(ptr %to) {
  call void @__offload_block_size(i32 16, i32 16, i32 1)
  %x = call i32 @__offload_thread_id_x()
  store i32 %x, ptr %to, align 4
  ret void
}

define ptx_kernel void @promised_one(ptr %to) {
  call void @__offload_block_size(i32 16, i32 1, i32 1)
  %x = call i32 @__offload_thread_id_x()
  %y = call i32 @__offload_thread_id_y()
  %i = add i32 %x, %y
  store i32 %i, ptr %to, align 4
  ret void
}

define ptx_kernel void @without_arguments() {
  %y = call i32 @__offload_thread_id_y()
  %place = inttoptr i32 %y to ptr
  store i32 %y, ptr %place, align 4
  ret void
}
