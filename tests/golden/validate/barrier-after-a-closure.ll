; A closure that is not inlined writes a thread's value through one captured reference. The targets of its other
; references stay uniform. If it writes the bound of the loop, the barrier is refused.
; RUN: offloadc -w %s --offload-arch=cpu --kernel=uniform --emit=validate=- | grep -c "call void @__offload_sync_threads()"
; RUN[divergent]: not offloadc -w %s --offload-arch=cpu --kernel=divergent --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define internal void @add(ptr %captured, i32 %by) noinline {
  %sum = load ptr, ptr %captured
  %before = load i32, ptr %sum
  %after = add i32 %before, %by
  store i32 %after, ptr %sum
  ret void
}

define void @uniform(i32 %n) {
  %sum = alloca i32
  %bound = alloca i32
  %captured = alloca [2 x ptr]
  %t = call i32 @__offload_thread_id_x()
  store i32 0, ptr %sum
  store i32 %n, ptr %bound
  store ptr %sum, ptr %captured
  %second = getelementptr ptr, ptr %captured, i64 1
  store ptr %bound, ptr %second
  call void @add(ptr %captured, i32 %t)
  call void @add(ptr %captured, i32 %t)
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  call void @__offload_sync_threads()
  %next = add i32 %i, 1
  %end = load i32, ptr %bound
  %more = icmp ult i32 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}

define void @divergent(i32 %n) {
  %sum = alloca i32
  %bound = alloca i32
  %captured = alloca [2 x ptr]
  %t = call i32 @__offload_thread_id_x()
  store i32 0, ptr %sum
  store i32 %n, ptr %bound
  store ptr %bound, ptr %captured
  %second = getelementptr ptr, ptr %captured, i64 1
  store ptr %sum, ptr %second
  call void @add(ptr %captured, i32 %t)
  call void @add(ptr %captured, i32 %t)
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  call void @__offload_sync_threads()
  %next = add i32 %i, 1
  %end = load i32, ptr %bound
  %more = icmp ult i32 %next, %end
  br i1 %more, label %loop, label %done
done:
  ret void
}
;;; stdout
; 1
;;; stderr[divergent]
; error[OFC0012]: kernel `divergent` has a barrier under control flow that differs between threads
;   = note: threads diverge before it, and some then reach the end of the kernel: an early `return` counts
;   = note: all threads of a block must reach the same barrier
;   = note: the compiler that made this input may have duplicated or moved it
;   = note: for cpu
;   = help: compile with `-C opt-level=3 -C no-prepopulate-passes`; rustc itself copies none with `-C opt-level=0`
;   = help: compile with debug information (`-g`, or `debug = "line-tables-only"` in cargo's profile) to see where it is
;   = help: if the source has the barrier inside or after a condition on the thread's position, let all threads reach it
