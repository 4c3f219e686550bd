; A call that is not inlined may write a thread's value through any of its pointers, so the end of the loop is not known
; to be the same for all threads. With the call inlined it is, and the two copies of the barrier become one. If the call
; writes the bound, there is no proof, and both stay.
; RUN: offloadc %s --run-pass=repair_convergence --kernel=behind_call | grep -c "call void @__offload_sync_threads()"
; RUN[wrong]: offloadc %s --run-pass=repair_convergence --kernel=wrong_behind_call | grep -c "call void @__offload_sync_threads()"

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads() convergent

define internal void @add(ptr %captured, i32 %by) noinline {
  %sum = load ptr, ptr %captured
  %before = load i32, ptr %sum
  %after = add i32 %before, %by
  store i32 %after, ptr %sum
  ret void
}

define void @behind_call(i32 %n) convergent {
  %sum = alloca i32
  %bound = alloca i32
  %captured = alloca [2 x ptr]
  %t = call i32 @__offload_thread_id_x()
  store i32 0, ptr %sum
  store i32 %n, ptr %bound
  store ptr %sum, ptr %captured
  %second = getelementptr ptr, ptr %captured, i64 1
  store ptr %bound, ptr %second
  %low = icmp ult i32 %t, 4
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %join ]
  call void @add(ptr %captured, i32 %t)
  br i1 %low, label %one, label %other
one:
  call void @__offload_sync_threads()
  br label %join
other:
  call void @__offload_sync_threads()
  br label %join
join:
  %next = add i32 %i, 1
  %end = load i32, ptr %bound
  %more = icmp ult i32 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @wrong_behind_call(i32 %n) convergent {
  %sum = alloca i32
  %bound = alloca i32
  %captured = alloca [2 x ptr]
  %t = call i32 @__offload_thread_id_x()
  store i32 0, ptr %sum
  store i32 %n, ptr %bound
  store ptr %bound, ptr %captured
  %second = getelementptr ptr, ptr %captured, i64 1
  store ptr %sum, ptr %second
  %low = icmp ult i32 %t, 4
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %join ]
  call void @add(ptr %captured, i32 %t)
  br i1 %low, label %one, label %other
one:
  call void @__offload_sync_threads()
  br label %join
other:
  call void @__offload_sync_threads()
  br label %join
join:
  %next = add i32 %i, 1
  %end = load i32, ptr %bound
  %more = icmp ult i32 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}
;;; stdout
; 3
;;; stdout[wrong]
; 4
