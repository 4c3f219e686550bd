; The steps of a transform in an array of the thread: the loop over the points of a step is unrolled, and then the one
; over the steps, whose distance doubles, with and without checks of the places. The array becomes values. A loop with a
; hint of the program is left as it is.
; RUN[checked]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@transform.thread(.*{/,/^}/p'
; CHECK[checked]: define internal void @transform.thread(
; CHECK-NOT[checked]: alloca
; CHECK-NOT[checked]: phi
; CHECK[checked]: ret void
; RUN[unchecked]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@unchecked.thread(.*{/,/^}/p'
; CHECK[unchecked]: define internal void @unchecked.thread(
; CHECK-NOT[unchecked]: alloca
; CHECK-NOT[unchecked]: phi
; CHECK[unchecked]: ret void
; RUN[hinted]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@hinted.thread(.*{/,/^}/p'
; CHECK[hinted]: define internal void @hinted.thread(
; CHECK[hinted]: phi
; CHECK[hinted]: ret void

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_panic(i32, i32, i64, i64, i64)

define ptx_kernel void @transform(ptr noalias %data) {
start:
  %own = alloca [4 x i32], align 4
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %all = getelementptr [4 x i32], ptr %data, i64 %wide
  br label %fill

fill:
  %f = phi i64 [ 0, %start ], [ %f.next, %fill ]
  %from = getelementptr i32, ptr %all, i64 %f
  %value = load i32, ptr %from, align 4
  %to = getelementptr i32, ptr %own, i64 %f
  store i32 %value, ptr %to, align 4
  %f.next = add nuw nsw i64 %f, 1
  %f.ends = icmp eq i64 %f.next, 4
  br i1 %f.ends, label %steps, label %fill

steps:
  %half = phi i64 [ 1, %fill ], [ %half.next, %step.ends ]
  br label %points

points:
  %i = phi i64 [ 0, %steps ], [ %i.next, %fits ]
  %mask = add i64 %half, -1
  %place = and i64 %i, %mask
  %double = shl i64 %i, 1
  %low = sub i64 %double, %place
  %high = add i64 %low, %half
  %is.inside = icmp ult i64 %high, 4
  br i1 %is.inside, label %fits, label %outside

fits:
  %low.at = getelementptr i32, ptr %own, i64 %low
  %high.at = getelementptr i32, ptr %own, i64 %high
  %a = load i32, ptr %low.at, align 4
  %b = load i32, ptr %high.at, align 4
  %sum = add i32 %a, %b
  %difference = sub i32 %a, %b
  store i32 %sum, ptr %low.at, align 4
  store i32 %difference, ptr %high.at, align 4
  %i.next = add nuw nsw i64 %i, 1
  %i.ends = icmp eq i64 %i.next, 2
  br i1 %i.ends, label %step.ends, label %points

step.ends:
  %half.next = shl i64 %half, 1
  %goes.on = icmp ult i64 %half.next, 4
  br i1 %goes.on, label %steps, label %write

write:
  %w = phi i64 [ 0, %step.ends ], [ %w.next, %write ]
  %result.at = getelementptr i32, ptr %own, i64 %w
  %result = load i32, ptr %result.at, align 4
  %out = getelementptr i32, ptr %all, i64 %w
  store i32 %result, ptr %out, align 4
  %w.next = add nuw nsw i64 %w, 1
  %w.ends = icmp eq i64 %w.next, 4
  br i1 %w.ends, label %leave, label %write

leave:
  ret void

outside:
  call void @__offload_panic(i32 0, i32 0, i64 0, i64 0, i64 0)
  unreachable
}

define ptx_kernel void @unchecked(ptr noalias %data) {
start:
  %own = alloca [4 x i32], align 4
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %all = getelementptr [4 x i32], ptr %data, i64 %wide
  br label %fill

fill:
  %f = phi i64 [ 0, %start ], [ %f.next, %fill ]
  %from = getelementptr i32, ptr %all, i64 %f
  %value = load i32, ptr %from, align 4
  %to = getelementptr i32, ptr %own, i64 %f
  store i32 %value, ptr %to, align 4
  %f.next = add nuw nsw i64 %f, 1
  %f.ends = icmp eq i64 %f.next, 4
  br i1 %f.ends, label %steps, label %fill

steps:
  %half = phi i64 [ 1, %fill ], [ %half.next, %step.ends ]
  br label %points

points:
  %i = phi i64 [ 0, %steps ], [ %i.next, %points ]
  %mask = add i64 %half, -1
  %place = and i64 %i, %mask
  %double = shl i64 %i, 1
  %low = sub i64 %double, %place
  %high = add i64 %low, %half
  %low.at = getelementptr i32, ptr %own, i64 %low
  %high.at = getelementptr i32, ptr %own, i64 %high
  %a = load i32, ptr %low.at, align 4
  %b = load i32, ptr %high.at, align 4
  %sum = add i32 %a, %b
  %difference = sub i32 %a, %b
  store i32 %sum, ptr %low.at, align 4
  store i32 %difference, ptr %high.at, align 4
  %i.next = add nuw nsw i64 %i, 1
  %i.ends = icmp eq i64 %i.next, 2
  br i1 %i.ends, label %step.ends, label %points

step.ends:
  %half.next = shl i64 %half, 1
  %goes.on = icmp ult i64 %half.next, 4
  br i1 %goes.on, label %steps, label %write

write:
  %w = phi i64 [ 0, %step.ends ], [ %w.next, %write ]
  %result.at = getelementptr i32, ptr %own, i64 %w
  %result = load i32, ptr %result.at, align 4
  %out = getelementptr i32, ptr %all, i64 %w
  store i32 %result, ptr %out, align 4
  %w.next = add nuw nsw i64 %w, 1
  %w.ends = icmp eq i64 %w.next, 4
  br i1 %w.ends, label %leave, label %write

leave:
  ret void
}

define ptx_kernel void @hinted(ptr noalias %data) {
start:
  %own = alloca [4 x i32], align 4
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %all = getelementptr [4 x i32], ptr %data, i64 %wide
  br label %fill

fill:
  %f = phi i64 [ 0, %start ], [ %f.next, %fill ]
  %from = getelementptr i32, ptr %all, i64 %f
  %value = load i32, ptr %from, align 4
  %to = getelementptr i32, ptr %own, i64 %f
  store i32 %value, ptr %to, align 4
  %f.next = add nuw nsw i64 %f, 1
  %f.ends = icmp eq i64 %f.next, 4
  br i1 %f.ends, label %steps, label %fill

steps:
  %half = phi i64 [ 1, %fill ], [ %half.next, %step.ends ]
  br label %points

points:
  %i = phi i64 [ 0, %steps ], [ %i.next, %points ]
  %mask = add i64 %half, -1
  %place = and i64 %i, %mask
  %double = shl i64 %i, 1
  %low = sub i64 %double, %place
  %high = add i64 %low, %half
  %low.at = getelementptr i32, ptr %own, i64 %low
  %high.at = getelementptr i32, ptr %own, i64 %high
  %a = load i32, ptr %low.at, align 4
  %b = load i32, ptr %high.at, align 4
  %sum = add i32 %a, %b
  %difference = sub i32 %a, %b
  store i32 %sum, ptr %low.at, align 4
  store i32 %difference, ptr %high.at, align 4
  %i.next = add nuw nsw i64 %i, 1
  %i.ends = icmp eq i64 %i.next, 2
  br i1 %i.ends, label %step.ends, label %points

step.ends:
  %half.next = shl i64 %half, 1
  %goes.on = icmp ult i64 %half.next, 4
  br i1 %goes.on, label %steps, label %write, !llvm.loop !0

write:
  %w = phi i64 [ 0, %step.ends ], [ %w.next, %write ]
  %result.at = getelementptr i32, ptr %own, i64 %w
  %result = load i32, ptr %result.at, align 4
  %out = getelementptr i32, ptr %all, i64 %w
  store i32 %result, ptr %out, align 4
  %w.next = add nuw nsw i64 %w, 1
  %w.ends = icmp eq i64 %w.next, 4
  br i1 %w.ends, label %leave, label %write

leave:
  ret void
}

!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.disable"}
