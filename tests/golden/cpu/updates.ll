; Each thread counts 32 elements with its own counters, which takes longer in vectors: elements are gathered and
; scattered. The loop that sets 16 counters to zero would be faster in vectors, but iterates half as often. Without the
; other loop, it is executed in vectors.
; FAIL: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | grep '^define.*@counts.thread.*vector('
; FAIL[highest]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu:x86-64-v4 | grep '^define.*@counts.thread.*vector('
; RUN[zeros]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | grep -c '^define.*@zeros.thread.*vector('

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @counts(ptr %keys, ptr %counters) {
entry:
  %x = call i32 @__offload_thread_id_x()
  %thread = zext i32 %x to i64
  %first = shl nuw nsw i64 %thread, 5
  br label %zero

zero:
  %digit = phi i64 [ 0, %entry ], [ %next.digit, %zero ]
  %row = shl nuw nsw i64 %digit, 7
  %place = add nuw nsw i64 %row, %thread
  %counter = getelementptr i32, ptr %counters, i64 %place
  store i32 0, ptr %counter, align 4
  %next.digit = add nuw nsw i64 %digit, 1
  %all.zero = icmp eq i64 %next.digit, 16
  br i1 %all.zero, label %count, label %zero

count:
  %item = phi i64 [ 0, %zero ], [ %next.item, %count ]
  %index = add nuw nsw i64 %first, %item
  %from = getelementptr i32, ptr %keys, i64 %index
  %key = load i32, ptr %from, align 4
  %low = shl i32 %key, 7
  %masked = and i32 %low, 1920
  %of.digit = zext nneg i32 %masked to i64
  %own = add nuw nsw i64 %of.digit, %thread
  %at = getelementptr i32, ptr %counters, i64 %own
  %before = load i32, ptr %at, align 4
  %more = add i32 %before, 1
  store i32 %more, ptr %at, align 4
  %next.item = add nuw nsw i64 %item, 1
  %all.counted = icmp eq i64 %next.item, 32
  br i1 %all.counted, label %leave, label %count

leave:
  ret void
}

define ptx_kernel void @zeros(ptr %counters) {
entry:
  %x = call i32 @__offload_thread_id_x()
  %thread = zext i32 %x to i64
  br label %zero

zero:
  %digit = phi i64 [ 0, %entry ], [ %next.digit, %zero ]
  %row = shl nuw nsw i64 %digit, 7
  %place = add nuw nsw i64 %row, %thread
  %counter = getelementptr i32, ptr %counters, i64 %place
  store i32 0, ptr %counter, align 4
  %next.digit = add nuw nsw i64 %digit, 1
  %all.zero = icmp eq i64 %next.digit, 16
  br i1 %all.zero, label %leave, label %zero

leave:
  ret void
}
;;; stdout[zeros]
; 1
