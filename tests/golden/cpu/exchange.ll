; An exchange of two numbers in shared memory is done without a branch: the thread stores the loaded values if it does
; not exchange them. In global memory, which another block may own, the branch remains. It also remains where the
; position of a thread decides: the other thread of the pair exchanges.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@sort.thread.1(.*{/,/^}/p'
; RUN[global]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@global.thread(.*{/,/^}/p'
; RUN[half]: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | sed -n '/@half.thread.1(.*{/,/^}/p'
; CHECK: icmp ugt i32
; CHECK-NOT: br i1
; CHECK: select i1
; CHECK: store i32
; CHECK: select i1
; CHECK: store i32
; CHECK[half]: br i1
; CHECK[half]: store i32
; CHECK[half]: store i32
; CHECK[global]: br i1
; CHECK[global]: store i32
; CHECK[global]: store i32

target triple = "x86_64-unknown-linux-gnu"

@keys = internal global [64 x i32] zeroinitializer, section ".offload.shared"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define ptx_kernel void @sort(ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %j = add i64 %i, 32
  %low = getelementptr i32, ptr @keys, i64 %i
  %high = getelementptr i32, ptr @keys, i64 %j
  store i32 %x, ptr %high
  call void @__offload_sync_threads()
  %a = load i32, ptr %low
  %b = load i32, ptr %high
  %wrong = icmp ugt i32 %a, %b
  br i1 %wrong, label %exchange, label %done

exchange:
  store i32 %b, ptr %low
  store i32 %a, ptr %high
  br label %done

done:
  %to = getelementptr i32, ptr %out, i64 %i
  store i32 %b, ptr %to
  ret void
}

define ptx_kernel void @global(ptr %keys) {
  %x = call i32 @__offload_thread_id_x()
  %i = zext i32 %x to i64
  %j = add i64 %i, 32
  %low = getelementptr i32, ptr %keys, i64 %i
  %high = getelementptr i32, ptr %keys, i64 %j
  %a = load i32, ptr %low
  %b = load i32, ptr %high
  %wrong = icmp ugt i32 %a, %b
  br i1 %wrong, label %exchange, label %done

exchange:
  store i32 %b, ptr %low
  store i32 %a, ptr %high
  br label %done

done:
  ret void
}

define ptx_kernel void @half(ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  %partner = xor i32 %x, 1
  %i = zext i32 %x to i64
  %j = zext i32 %partner to i64
  %low = getelementptr i32, ptr @keys, i64 %i
  %high = getelementptr i32, ptr @keys, i64 %j
  store i32 %x, ptr %low
  call void @__offload_sync_threads()
  %a = load i32, ptr %low
  %b = load i32, ptr %high
  %wrong = icmp ugt i32 %a, %b
  %mine = icmp ult i32 %x, %partner
  %exchanges = and i1 %mine, %wrong
  br i1 %exchanges, label %exchange, label %done

exchange:
  store i32 %b, ptr %low
  store i32 %a, ptr %high
  br label %done

done:
  %to = getelementptr i32, ptr %out, i64 %i
  store i32 %b, ptr %to
  ret void
}
