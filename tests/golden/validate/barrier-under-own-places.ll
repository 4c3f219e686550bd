; Each thread has its own locals, so values read from them differ although the same pointer leads there in each thread:
; through a choice of locals, through pointers in memory, by copies, through results of intrinsics, by vectors of
; pointers, and in an argument that the kernel changes. A call may write through a pointer in a struct or a number.
; FAIL[simplified]: offloadc -w %s --offload-arch=cpu --emit=validate=- 2>&1 | grep ^error
; FAIL[plain]: offloadc -w %s -O0 --offload-arch=cpu --emit=validate=- 2>&1 | grep ^error

target triple = "x86_64-unknown-linux-gnu"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()
declare ptr @__offload_kernel_block(ptr, i64, i64)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare ptr @llvm.launder.invariant.group.p0(ptr)
declare <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr>, <2 x i1>, <2 x i32>)
declare void @llvm.masked.scatter.v2i32.v2p0(<2 x i32>, <2 x ptr>, <2 x i1>)

define internal void @wait_if(i32 %v) alwaysinline {
  %go = icmp eq i32 %v, 3
  br i1 %go, label %wait, label %end
wait:
  call void @__offload_sync_threads()
  br label %end
end:
  ret void
}

define ptx_kernel void @phi_of_locals(i32 %n) {
entry:
  %a = alloca i32
  %b = alloca i32
  store i32 0, ptr %a
  store i32 0, ptr %b
  %t = call i32 @__offload_thread_id_x()
  %z = icmp eq i32 %n, 0
  br i1 %z, label %x, label %y
x:
  br label %y
y:
  %p = phi ptr [ %a, %entry ], [ %b, %x ]
  call void @__offload_sync_threads()
  store i32 %t, ptr %a
  %v = load i32, ptr %p
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @select_of_locals(i32 %n) {
entry:
  %a = alloca [8 x i32]
  %b = alloca [8 x i32]
  %t = call i32 @__offload_thread_id_x()
  %z = icmp eq i32 %n, 0
  %p = select i1 %z, ptr %a, ptr %b
  call void @__offload_sync_threads()
  store volatile i32 %t, ptr %a
  %v = load i32, ptr %p
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @array_of_pointers(i32 %n) {
entry:
  %a = alloca i32
  %b = alloca i32
  %s = alloca [2 x ptr]
  store i32 0, ptr %a
  store i32 0, ptr %b
  %t = call i32 @__offload_thread_id_x()
  store ptr %a, ptr %s
  %s1 = getelementptr ptr, ptr %s, i32 1
  store ptr %b, ptr %s1
  %at = getelementptr ptr, ptr %s, i32 %n
  %p = load ptr, ptr %at
  call void @__offload_sync_threads()
  store i32 %t, ptr %a
  %v = load i32, ptr %p
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @copied_pointers(i32 %n) {
entry:
  %a = alloca [8 x i32]
  %b = alloca [8 x i32]
  %s = alloca [2 x ptr]
  %c = alloca [2 x ptr]
  %t = call i32 @__offload_thread_id_x()
  store ptr %a, ptr %s
  %s1 = getelementptr ptr, ptr %s, i32 1
  store ptr %b, ptr %s1
  call void @llvm.memcpy.p0.p0.i64(ptr %c, ptr %s, i64 16, i1 false)
  %at = getelementptr ptr, ptr %c, i32 %n
  %p = load ptr, ptr %at
  call void @__offload_sync_threads()
  store volatile i32 %t, ptr %a
  %v = load i32, ptr %p
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @exchanged(i32 %n) {
entry:
  %a = alloca [8 x i32]
  %s = alloca ptr
  %t = call i32 @__offload_thread_id_x()
  %o = atomicrmw xchg ptr %s, ptr %a monotonic
  %q = load ptr, ptr %s
  call void @__offload_sync_threads()
  store volatile i32 %t, ptr %a
  %v = load i32, ptr %q
  call void @wait_if(i32 %v)
  ret void
}

define internal ptr @pick(ptr %x, ptr %y, i32 %n) noinline {
  %z = icmp eq i32 %n, 0
  %p = select i1 %z, ptr %x, ptr %y
  ret ptr %p
}

define ptx_kernel void @picked_by_call(i32 %n) {
entry:
  %a = alloca [8 x i32]
  %b = alloca [8 x i32]
  %t = call i32 @__offload_thread_id_x()
  %p = call ptr @pick(ptr %a, ptr %b, i32 %n)
  call void @__offload_sync_threads()
  store volatile i32 %t, ptr %a
  %v = load i32, ptr %p
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @copied_dynamically(i32 %n) {
entry:
  %a = alloca [8 x i32]
  %b = alloca [8 x i32]
  %c = alloca [8 x i32]
  %s = alloca [2 x ptr]
  %t = call i32 @__offload_thread_id_x()
  store ptr %a, ptr %s
  %s1 = getelementptr ptr, ptr %s, i32 1
  store ptr %b, ptr %s1
  %at = getelementptr ptr, ptr %s, i32 %n
  %p = load ptr, ptr %at
  store volatile i32 %t, ptr %a
  call void @llvm.memcpy.p0.p0.i64(ptr %c, ptr %p, i64 32, i1 false)
  %cn = getelementptr i32, ptr %c, i32 %n
  %v = load i32, ptr %cn
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @masked_pointer(i32 %n, i64 %m) {
entry:
  %a = alloca [8 x i32]
  %t = call i32 @__offload_thread_id_x()
  store volatile i32 %t, ptr %a
  %p = call ptr @llvm.ptrmask.p0.i64(ptr %a, i64 %m)
  %v = load i32, ptr %p
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @laundered(i32 %n) {
entry:
  %a = alloca [8 x i32]
  %t = call i32 @__offload_thread_id_x()
  store volatile i32 %t, ptr %a
  %p = call ptr @llvm.launder.invariant.group.p0(ptr %a)
  %v = load i32, ptr %p
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @laundered_write(i32 %n) {
entry:
  %a = alloca [8 x i32]
  %t = call i32 @__offload_thread_id_x()
  %p = call ptr @llvm.launder.invariant.group.p0(ptr %a)
  store volatile i32 %t, ptr %p
  %v = load volatile i32, ptr %a
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @gathered(i32 %n) {
entry:
  %a = alloca [8 x i32]
  %b = alloca [8 x i32]
  %t = call i32 @__offload_thread_id_x()
  store volatile i32 %t, ptr %a
  %l = insertelement <2 x ptr> poison, ptr %a, i32 0
  %u = insertelement <2 x ptr> %l, ptr %b, i32 1
  %g = call <2 x i32> @llvm.masked.gather.v2i32.v2p0(<2 x ptr> %u, <2 x i1> <i1 true, i1 true>, <2 x i32> zeroinitializer)
  %v = extractelement <2 x i32> %g, i32 %n
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @scattered(i32 %n) {
entry:
  %a = alloca [8 x i32]
  %b = alloca [8 x i32]
  %t = call i32 @__offload_thread_id_x()
  %l = insertelement <2 x ptr> poison, ptr %a, i32 0
  %u = insertelement <2 x ptr> %l, ptr %b, i32 1
  %d = insertelement <2 x i32> zeroinitializer, i32 %t, i32 0
  call void @llvm.masked.scatter.v2i32.v2p0(<2 x i32> %d, <2 x ptr> %u, <2 x i1> <i1 true, i1 true>)
  %v = load volatile i32, ptr %a
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @cast_space(i32 %n) {
entry:
  %a = alloca [8 x i32]
  %t = call i32 @__offload_thread_id_x()
  %p = addrspacecast ptr %a to ptr addrspace(5)
  %q = addrspacecast ptr addrspace(5) %p to ptr
  store volatile i32 %t, ptr %q
  %v = load volatile i32, ptr %a
  call void @wait_if(i32 %v)
  ret void
}

define internal void @fill({ptr, i64} %s) noinline {
  %t = call i32 @__offload_thread_id_x()
  %p = extractvalue {ptr, i64} %s, 0
  store volatile i32 %t, ptr %p
  ret void
}

define ptx_kernel void @aggregate_argument(i32 %n) {
entry:
  %a = alloca [8 x i32]
  %l = insertvalue {ptr, i64} {ptr null, i64 4}, ptr %a, 0
  call void @fill({ptr, i64} %l)
  %v = load volatile i32, ptr %a
  call void @wait_if(i32 %v)
  ret void
}

define internal void @fill_number(i64 %s) noinline {
  %t = call i32 @__offload_thread_id_x()
  %p = inttoptr i64 %s to ptr
  store volatile i32 %t, ptr %p
  ret void
}

define ptx_kernel void @number_argument(i32 %n) {
entry:
  %a = alloca [8 x i32]
  %l = ptrtoint ptr %a to i64
  call void @fill_number(i64 %l)
  %v = load volatile i32, ptr %a
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @number_argument_by_memory(i32 %n) {
entry:
  %a = alloca [8 x i32]
  %s = alloca ptr
  store volatile ptr %a, ptr %s
  %l = load volatile i64, ptr %s
  call void @fill_number(i64 %l)
  %v = load volatile i32, ptr %a
  call void @wait_if(i32 %v)
  ret void
}

define internal i128 @wrap(ptr %a) noinline {
  %w = alloca {ptr, i32, i16}
  store ptr %a, ptr %w
  %i = getelementptr i8, ptr %w, i64 8
  store i32 4, ptr %i
  %x = load i128, ptr %w
  ret i128 %x
}

define internal void @fill_wide(i128 %s) noinline {
  %t = call i32 @__offload_thread_id_x()
  %w = alloca {ptr, i32, i16}
  store volatile i128 %s, ptr %w
  %p = load volatile ptr, ptr %w
  store volatile i32 %t, ptr %p
  ret void
}

define ptx_kernel void @wide_argument(i32 %n) {
entry:
  %a = alloca [8 x i32]
  %w = call i128 @wrap(ptr %a)
  call void @fill_wide(i128 %w)
  %v = load volatile i32, ptr %a
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @wide_by_memory(i32 %n) {
entry:
  %a = alloca [8 x i32]
  %m = alloca i128
  %w = call i128 @wrap(ptr %a)
  store volatile i128 %w, ptr %m
  %p = load volatile ptr, ptr %m
  %t = call i32 @__offload_thread_id_x()
  store volatile i32 %t, ptr %p
  %v = load volatile i32, ptr %a
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @own_copy(ptr byval([8 x i32]) %a, i32 %n) {
entry:
  %t = call i32 @__offload_thread_id_x()
  store volatile i32 %t, ptr %a
  %v = load i32, ptr %a
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @own_copy_in_array(ptr byval([8 x i32]) %a, i32 %n) {
entry:
  %t = call i32 @__offload_thread_id_x()
  store volatile i32 %t, ptr %a
  %at = getelementptr i32, ptr %a, i32 %n
  %v = load i32, ptr %at
  call void @wait_if(i32 %v)
  ret void
}

define ptx_kernel void @common_memory(ptr %slot, ptr %other) {
  %a = alloca i32
  %t = call i32 @__offload_thread_id_x()
  store ptr %a, ptr %slot
  store volatile i32 %t, ptr %a
  %p = load ptr, ptr %other
  %v = load i32, ptr %p
  call void @wait_if(i32 %v)
  ret void
}

define void @block(ptr %arguments) {
  %t = call i32 @__offload_thread_id_x()
  store volatile i32 %t, ptr %arguments
  %last = getelementptr i8, ptr %arguments, i64 32
  %n = load i32, ptr %last
  %at = getelementptr i32, ptr %arguments, i32 %n
  %v = load i32, ptr %at
  call void @wait_if(i32 %v)
  ret void
}

define i32 @main() {
  %handle = call ptr @__offload_kernel_block(ptr @block, i64 40, i64 8)
  ret i32 0
}
;;; stdout[simplified]
; error[OFC0012]: kernel `phi_of_locals` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `select_of_locals` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `array_of_pointers` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `copied_pointers` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `exchanged` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `picked_by_call` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `copied_dynamically` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `masked_pointer` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `laundered` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `laundered_write` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `gathered` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `scattered` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `cast_space` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `aggregate_argument` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `number_argument` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `number_argument_by_memory` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `wide_argument` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `wide_by_memory` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `own_copy` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `own_copy_in_array` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `common_memory` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `block` has a barrier under control flow that differs between threads
;;; stdout[plain]
; error[OFC0012]: kernel `phi_of_locals` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `select_of_locals` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `array_of_pointers` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `copied_pointers` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `exchanged` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `picked_by_call` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `copied_dynamically` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `masked_pointer` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `laundered` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `laundered_write` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `gathered` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `scattered` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `cast_space` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `aggregate_argument` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `number_argument` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `number_argument_by_memory` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `wide_argument` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `wide_by_memory` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `own_copy` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `own_copy_in_array` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `common_memory` has a barrier under control flow that differs between threads
; error[OFC0012]: kernel `block` has a barrier under control flow that differs between threads
