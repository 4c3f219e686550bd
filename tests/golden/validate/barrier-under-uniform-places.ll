; A thread's own memory has the same value in all threads if each has written the same there: also through a pointer in
; memory, beside an address, after a copy of an address, and in an argument of which another part differs.
; RUN[simplified]: offloadc -w %s --offload-arch=cpu --emit=validate=- | grep -c "call void @__offload_sync_threads()"
; RUN[plain]: offloadc -w %s -O0 --offload-arch=cpu --emit=validate=- | grep -c "call void @__offload_sync_threads()"

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i32 @bcmp(ptr, ptr, i64)

define internal void @wait_if(i32 %v) alwaysinline {
  %go = icmp eq i32 %v, 3
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}


define internal i64 @half(i64 %x) noinline {
  %l = lshr i64 %x, 1
  ret i64 %l
}

define ptx_kernel void @chosen_local(i32 %n) {
entry:
  %a = alloca i32
  %b = alloca i32
  %s = alloca [2 x ptr]
  store volatile i32 %n, ptr %a
  store volatile i32 1, ptr %b
  store ptr %a, ptr %s
  %s1 = getelementptr ptr, ptr %s, i32 1
  store ptr %b, ptr %s1
  %at = getelementptr ptr, ptr %s, i32 %n
  %p = load ptr, ptr %at
  %v = load i32, ptr %p
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @beside_an_address(i32 %n) {
entry:
  %a = alloca i32
  %s = alloca [3 x ptr]
  %c = alloca [3 x ptr]
  %sn = getelementptr i8, ptr %s, i32 %n
  store volatile i8 1, ptr %sn
  %cn = getelementptr i8, ptr %c, i32 %n
  store volatile i8 1, ptr %cn
  %wide = zext i32 %n to i64
  %s1 = getelementptr i8, ptr %s, i64 8
  store volatile ptr %a, ptr %s1
  %s2 = getelementptr i8, ptr %s, i64 16
  store volatile i64 %wide, ptr %s2
  call void @llvm.memcpy.p0.p0.i64(ptr %c, ptr %s1, i64 16, i1 true)
  %c1 = getelementptr i8, ptr %c, i64 8
  %m = load volatile i64, ptr %c1
  %h = call i64 @half(i64 %m)
  %v = trunc i64 %h to i32
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @copied_as_number(i32 %n) {
entry:
  %a = alloca i32
  %s = alloca [2 x ptr]
  %c = alloca [2 x ptr]
  store volatile i32 %n, ptr %a
  %sn = getelementptr ptr, ptr %s, i32 %n
  store volatile ptr %a, ptr %sn
  %x = load volatile i64, ptr %sn
  %cn = getelementptr ptr, ptr %c, i32 %n
  store volatile i64 %x, ptr %cn
  %p = load volatile ptr, ptr %cn
  %v = load i32, ptr %p
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @length_for_callee(i32 %n) {
entry:
  %a = alloca [8 x i32]
  store volatile i32 %n, ptr %a
  %few = icmp eq i32 %n, 0
  %b = getelementptr i32, ptr %a, i32 2
  %c = getelementptr i32, ptr %a, i32 4
  %e = select i1 %few, ptr %b, ptr %c
  %x = ptrtoint ptr %a to i64
  %y = ptrtoint ptr %e to i64
  %d = sub i64 %y, %x
  %h = call i64 @half(i64 %d)
  %v = trunc i64 %h to i32
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @argument_that_is_read(ptr byval([8 x i32]) %a, ptr %out, i32 %n) {
entry:
  %t = call i32 @__offload_thread_id_x()
  %at = getelementptr i32, ptr %a, i32 %n
  %first = icmp eq i32 %t, 0
  br i1 %first, label %one, label %other
one:
  store volatile i32 1, ptr %out
  %v = load i32, ptr %at
  %go = icmp eq i32 %v, 3
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
other:
  store volatile i32 2, ptr %out
  %w = load i32, ptr %at
  %go.too = icmp eq i32 %w, 3
  br i1 %go.too, label %wait.too, label %end
wait.too:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}

define ptx_kernel void @part_of_an_argument(ptr byval([8 x i32]) %a, i32 %n) {
entry:
  %t = call i32 @__offload_thread_id_x()
  store volatile i32 %t, ptr %a
  %at = getelementptr i8, ptr %a, i32 8
  store volatile i32 %n, ptr %at
  %v = load volatile i32, ptr %at
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @bytes_without_address(ptr %in, i32 %n) {
entry:
  %a = alloca [8 x i32]
  call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %in, i64 32, i1 true)
  %v = call i32 @bcmp(ptr %a, ptr %in, i64 8)
  call void @wait_if(i32 %v)
  ret void
}
;;; stdout[simplified]
; 7
;;; stdout[plain]
; 7
