; Threads that compute places by `x & (distance - 1)`: if the distance is a multiple of 8, which is checked once for the
; block, eight of them load and store vectors. If it is 1, 2 or 4, their 16 elements are one vector, which is permuted
; by shuffles. Another distance has code for one thread after another.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@sort.*aligned.vector(.*{/,/^}/p'
; RUN[decide]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@sort.thread.1.decide(.*{/,/^}/p'
; RUN[other]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | grep '^define'
; RUN[small]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@sort.*by2.vector(.*{/,/^}/p'
; CHECK: or i64 %{{.*}}, 7
; CHECK: and i64 %{{.*}}, 7
; CHECK: load <8 x i32>
; CHECK: load <8 x i32>
; CHECK: store <8 x i32>
; CHECK: store <8 x i32>
; CHECK[decide]: and i64 %{{.*}}, 7
; CHECK[decide]: icmp eq i64 %{{.*}}, 7
; CHECK[decide]: freeze i1
; CHECK[other]: @sort.thread.1.other.more.more.more(
; CHECK-NOT[other]: more.more.more.vector
; CHECK[other]: by4.vector(
; CHECK[other]: by2.vector(
; CHECK[other]: by1.vector(
; CHECK[small]: load <16 x i32>
; CHECK[small]: shufflevector <16 x i32> %{{.*}}, <16 x i32> poison, <8 x i32> <i32 0, i32 1, i32 4, i32 5,
; CHECK[small]: shufflevector <16 x i32> %{{.*}}, <16 x i32> poison, <8 x i32> <i32 2, i32 3, i32 6, i32 7,
; CHECK[small]: store <16 x i32>
; CHECK-NOT[small]: load i32

target triple = "x86_64-unknown-linux-gnu"

@keys = internal global [64 x i32] zeroinitializer, section ".offload.shared"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define ptx_kernel void @sort(ptr %out, i64 %first) {
start:
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %own = getelementptr i32, ptr @keys, i64 %i
  store i32 %x, ptr %own
  br label %step

step:
  %distance = phi i64 [ %first, %start ], [ %next, %step ]
  call void @__offload_sync_threads()
  %mask = add i64 %distance, -1
  %part = and i64 %mask, %i
  %double = shl nuw nsw i64 %i, 1
  %low = sub i64 %double, %part
  %high = add i64 %low, %distance
  %from = getelementptr i32, ptr @keys, i64 %low
  %to = getelementptr i32, ptr @keys, i64 %high
  %a = load i32, ptr %from
  %b = load i32, ptr %to
  %wrong = icmp ugt i32 %a, %b
  %less = select i1 %wrong, i32 %b, i32 %a
  %more = select i1 %wrong, i32 %a, i32 %b
  store i32 %less, ptr %from
  store i32 %more, ptr %to
  %next = lshr i64 %distance, 1
  %again = icmp ne i64 %next, 0
  br i1 %again, label %step, label %done

done:
  call void @__offload_sync_threads()
  %result = load i32, ptr %own
  %at = getelementptr i32, ptr %out, i64 %i
  store i32 %result, ptr %at
  ret void
}
