; A number that is frozen is computed again after a barrier only if one comparison uses it, for one branch: both results
; may differ. `twice` hands it on in a slot, and `once` computes it again.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/^define internal i32 @[a-z]*.thread.[01](/,/^}/p' | grep -E -o '^define internal i32 @[a-z.0-9]*|freeze.*'

target triple = "x86_64-unknown-linux-gnu"

declare void @__offload_sync_threads()
declare i32 @__offload_thread_id_x()

define ptx_kernel void @once(i32 %n, i32 %m, ptr %to) {
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %out = getelementptr i32, ptr %to, i64 %wide
  %shifted = shl i32 %n, %m
  %f = freeze i32 %shifted
  store i32 %x, ptr %out, align 4
  call void @__offload_sync_threads()
  %more = icmp ult i32 %x, %f
  br i1 %more, label %write, label %leave

write:
  %behind = getelementptr i32, ptr %out, i64 64
  store i32 7, ptr %behind, align 4
  br label %leave

leave:
  ret void
}

define ptx_kernel void @twice(i32 %n, i32 %m, ptr %to) {
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %out = getelementptr i32, ptr %to, i64 %wide
  %shifted = shl i32 %n, %m
  %f = freeze i32 %shifted
  store i32 %f, ptr %out, align 4
  call void @__offload_sync_threads()
  %more = icmp ult i32 %x, %f
  br i1 %more, label %write, label %leave

write:
  %behind = getelementptr i32, ptr %out, i64 64
  store i32 7, ptr %behind, align 4
  br label %leave

leave:
  ret void
}
;;; stdout
; define internal i32 @once.thread.0
; define internal i32 @once.thread.1
; freeze i32 %10
; define internal i32 @twice.thread.0
; freeze i32 %11
; define internal i32 @twice.thread.1
