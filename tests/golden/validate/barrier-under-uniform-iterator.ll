; Without inlining, an iterator over a range that all threads share still has the same count in all.
; RUN: offloadc %s -O0 --offload-arch=cpu --emit=validate=- | grep -c "call void @__offload_sync_threads"

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_x()
declare void @__offload_sync_threads()


define internal { i32, i32 } @next(ptr %range) noinline {
  %end = getelementptr i32, ptr %range, i64 1
  %i = load volatile i32, ptr %range
  %n = load volatile i32, ptr %end
  %some = icmp ult i32 %i, %n
  %more = zext i1 %some to i32
  %j = add i32 %i, %more
  store volatile i32 %j, ptr %range
  %a = insertvalue { i32, i32 } poison, i32 %more, 0
  %b = insertvalue { i32, i32 } %a, i32 %i, 1
  ret { i32, i32 } %b
}

define ptx_kernel void @k(i32 %n, ptr %out) {
  %range = alloca [2 x i32]
  %end = getelementptr i32, ptr %range, i64 1
  store i32 0, ptr %range
  store i32 %n, ptr %end
  %t = call i32 @__offload_thread_id_x()
  br label %loop
loop:
  %item = call { i32, i32 } @next(ptr %range)
  %tag = extractvalue { i32, i32 } %item, 0
  %some = icmp eq i32 %tag, 1
  br i1 %some, label %body, label %leave
body:
  call void @__offload_sync_threads()
  br label %loop
leave:
  ret void
}
;;; stdout
; 1
