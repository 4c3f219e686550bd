; Which loads become one load for the block: not one from an address that is loaded from memory which may change, none in
; loop or after a call that may write, and none of several elements.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | grep -v '^;' | grep '^define.*\.load[0-9]*(' | sed 's/(.*//'

target triple = "x86_64-unknown-linux-gnu"

@all = internal global [64 x float] undef, section ".offload.shared"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define internal void @write(ptr %to) noinline {
  store float 1.0, ptr %to
  ret void
}

define ptx_kernel void @simple(ptr %a, ptr %b) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %own = getelementptr float, ptr %a, i64 %i
  call void @__offload_sync_threads()
  %value = load float, ptr %b, align 4
  %scaled = fmul float %value, 2.0
  store float %scaled, ptr %own
  ret void
}

define ptx_kernel void @through(ptr %a, ptr %b) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %own = getelementptr float, ptr %a, i64 %i
  call void @__offload_sync_threads()
  %there = load ptr, ptr %b
  %value = load float, ptr %there
  %scaled = fmul float %value, 2.0
  store float %scaled, ptr %own
  ret void
}

define ptx_kernel void @looped(ptr %a, ptr %b) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %own = getelementptr float, ptr %a, i64 %i
  call void @__offload_sync_threads()
  br label %loop

loop:
  %k = phi i64 [ 0, %0 ], [ %next, %loop ]
  %value = load float, ptr %b
  %scaled = fmul float %value, 2.0
  %to = getelementptr float, ptr %own, i64 %k
  store float %scaled, ptr %to
  %next = add i64 %k, 64
  %again = icmp ult i64 %next, 4096
  br i1 %again, label %loop, label %end

end:
  ret void
}

define ptx_kernel void @called(ptr %a, ptr %b) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %own = getelementptr float, ptr %a, i64 %i
  call void @__offload_sync_threads()
  call void @write(ptr %own)
  %value = load float, ptr %b
  %scaled = fmul float %value, 2.0
  store float %scaled, ptr %own
  ret void
}

define ptx_kernel void @several(ptr %a, ptr %b) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %own = getelementptr float, ptr %a, i64 %i
  call void @__offload_sync_threads()
  %long = load i128, ptr %b
  %low = trunc i128 %long to i32
  %value = uitofp i32 %low to float
  %high = lshr i128 %long, 77
  %more = mul i128 %high, %long
  %there = getelementptr i128, ptr %a, i64 %i
  store i128 %more, ptr %there
  %scaled = fmul float %value, 2.0
  store float %scaled, ptr %own
  ret void
}

define ptx_kernel void @frozen(ptr %a, ptr %b, i64 %m, i64 %n) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %own = getelementptr float, ptr %a, i64 %i
  call void @__offload_sync_threads()
  %sum = add nuw i64 %m, %n
  %some = freeze i64 %sum
  %at = getelementptr float, ptr %b, i64 %some
  %value = load float, ptr %at
  %scaled = fmul float %value, 2.0
  store float %scaled, ptr %own
  ret void
}
;;; stdout
; define internal float @simple.thread.1.load0
; define internal ptr @through.thread.1.load0
