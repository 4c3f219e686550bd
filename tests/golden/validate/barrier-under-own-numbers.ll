; The address of a local is another number in each thread, also where a pointer in memory is read as a number or
; compared by its bytes, here or in a callee.
; FAIL[simplified]: offloadc -w %s --offload-arch=cpu --emit=validate=- 2>&1 | grep ^error
; FAIL[plain]: offloadc -w %s -O0 --offload-arch=cpu --emit=validate=- 2>&1 | grep ^error

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

define ptx_kernel void @punned(i32 %n) {
entry:
  %a = alloca i32
  %b = alloca i32
  %s = alloca [2 x ptr]
  %t = call i32 @__offload_thread_id_x()
  store ptr %a, ptr %s
  %s1 = getelementptr ptr, ptr %s, i32 1
  store ptr %b, ptr %s1
  %at = getelementptr ptr, ptr %s, i32 %n
  %p = load i64, ptr %at
  %q = trunc i64 %p to i32
  %r = and i32 %q, 255
  call void @wait_if(i32 %r)
  ret void
}

define ptx_kernel void @copied_and_punned(i32 %n) {
entry:
  %a = alloca i32
  %s = alloca [2 x ptr]
  %c = alloca [2 x ptr]
  %sn = getelementptr ptr, ptr %s, i32 %n
  store ptr %a, ptr %sn
  call void @llvm.memcpy.p0.p0.i64(ptr %c, ptr %s, i64 16, i1 true)
  %at = getelementptr ptr, ptr %c, i32 %n
  %p = load i64, ptr %at
  %q = trunc i64 %p to i32
  %r = and i32 %q, 255
  call void @wait_if(i32 %r)
  ret void
}

define ptx_kernel void @compared_bytes(ptr %o, i32 %n) {
entry:
  %a = alloca i32
  %s = alloca [2 x ptr]
  store volatile ptr %a, ptr %s
  %r = call i32 @bcmp(ptr %s, ptr %o, i64 8)
  call void @wait_if(i32 %r)
  ret void
}

define internal i64 @bits(ptr %a, i32 %n) noinline {
  %w = alloca [2 x ptr]
  %at = getelementptr ptr, ptr %w, i32 %n
  store volatile ptr %a, ptr %at
  %x = load volatile i64, ptr %at
  ret i64 %x
}

define ptx_kernel void @punned_in_callee(i32 %n) {
entry:
  %a = alloca i32
  %x = call i64 @bits(ptr %a, i32 %n)
  %q = trunc i64 %x to i32
  %r = and i32 %q, 255
  call void @wait_if(i32 %r)
  ret void
}

define internal i64 @low(i64 %x) noinline {
  %l = and i64 %x, 255
  ret i64 %l
}

define ptx_kernel void @computed_by_callee(i32 %n) {
entry:
  %a = alloca i32
  %s = alloca [2 x ptr]
  %at = getelementptr ptr, ptr %s, i32 %n
  store volatile ptr %a, ptr %at
  %x = load volatile i64, ptr %at
  %l = call i64 @low(i64 %x)
  %r = trunc i64 %l to i32
  call void @wait_if(i32 %r)
  ret void
}

define ptx_kernel void @shifted_by_copy(i32 %n) {
entry:
  %a = alloca i32
  %s = alloca [3 x ptr]
  %c = alloca [3 x ptr]
  %sn = getelementptr i8, ptr %s, i32 %n
  store volatile i8 1, ptr %sn
  %cn = getelementptr i8, ptr %c, i32 %n
  store volatile i8 1, ptr %cn
  %s1 = getelementptr i8, ptr %s, i64 8
  store volatile ptr %a, ptr %s1
  %c2 = getelementptr i8, ptr %c, i64 16
  call void @llvm.memcpy.p0.p0.i64(ptr %c2, ptr %s1, i64 8, i1 true)
  %x = load volatile i64, ptr %c2
  %l = and i64 %x, 255
  %r = trunc i64 %l to i32
  call void @wait_if(i32 %r)
  ret void
}
;;; stdout[simplified]
; error[OFC0012]: kernel `punned` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `copied_and_punned` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `compared_bytes` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `punned_in_callee` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `computed_by_callee` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `shifted_by_copy` has a barrier under control flow that differs between threads
;;; stdout[plain]
; error[OFC0012]: kernel `punned` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `copied_and_punned` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `compared_bytes` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `punned_in_callee` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `computed_by_callee` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `shifted_by_copy` has a barrier under control flow that differs between threads
