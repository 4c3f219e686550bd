; A thread keeps values in an array, at indices that are the same in all threads: LLVM keeps the array of one thread in
; registers. The arrays of several threads would be separate arrays in memory, and their elements be gathered.
; RUN: offloadc %s -O2 --emit=flavor=- --offload-arch=cpu | grep '^define'
; CHECK: @turn.thread(
; CHECK-NOT: .vector(

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()

define ptx_kernel void @turn(ptr %from, ptr %to) {
start:
  %own = alloca [25 x i32]
  %x = call i32 @__offload_thread_id_x()
  %wide = zext i32 %x to i64
  %first = getelementptr [25 x i32], ptr %from, i64 %wide
  %out = getelementptr [25 x i32], ptr %to, i64 %wide
  br label %fetch

fetch:
  %i = phi i64 [ 0, %start ], [ %i.next, %fetch ]
  %from.place = getelementptr i32, ptr %first, i64 %i
  %value = load i32, ptr %from.place
  %place = getelementptr [25 x i32], ptr %own, i64 0, i64 %i
  store i32 %value, ptr %place
  %i.next = add nuw i64 %i, 1
  %fetched = icmp eq i64 %i.next, 25
  br i1 %fetched, label %round, label %fetch

round:
  %number = phi i64 [ 0, %fetch ], [ %number.next, %rounded ]
  br label %mix

mix:
  %j = phi i64 [ 0, %round ], [ %j.next, %mix ]
  %j.next = add nuw i64 %j, 1
  %triple = mul nuw i64 %j, 3
  %third = urem i64 %triple, 5
  %fifth = udiv i64 %j, 5
  %across = mul nuw i64 %third, 5
  %turned.j = add nuw i64 %across, %fifth
  %next = urem i64 %turned.j, 25
  %j.more = add nuw i64 %j, 24
  %last = urem i64 %j.more, 25
  %a.place = getelementptr [25 x i32], ptr %own, i64 0, i64 %j
  %b.place = getelementptr [25 x i32], ptr %own, i64 0, i64 %next
  %a = load i32, ptr %a.place
  %b = load i32, ptr %b.place
  %c.place = getelementptr [25 x i32], ptr %own, i64 0, i64 %last
  %c = load i32, ptr %c.place
  %turned = call i32 @llvm.fshl.i32(i32 %b, i32 %b, i32 7)
  %chosen = and i32 %turned, %c
  %less = xor i32 %chosen, %b
  %more = xor i32 %less, %c
  %mixed = xor i32 %a, %more
  store i32 %mixed, ptr %a.place
  %mixed.all = icmp eq i64 %j.next, 25
  br i1 %mixed.all, label %rounded, label %mix

rounded:
  %number.next = add nuw i64 %number, 1
  %again = icmp ult i64 %number.next, 24
  br i1 %again, label %round, label %store

store:
  %k = phi i64 [ 0, %rounded ], [ %k.next, %store ]
  %k.place = getelementptr [25 x i32], ptr %own, i64 0, i64 %k
  %result = load i32, ptr %k.place
  %out.place = getelementptr i32, ptr %out, i64 %k
  store i32 %result, ptr %out.place
  %k.next = add nuw i64 %k, 1
  %done = icmp eq i64 %k.next, 25
  br i1 %done, label %end, label %store

end:
  ret void
}

declare i32 @llvm.fshl.i32(i32, i32, i32)
