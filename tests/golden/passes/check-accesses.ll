; Each access to memory that other threads can name is checked, and so are barriers, fences and the heap. Locals and
; arguments are not, unless the index is computed.
; RUN: offloadc %s --run-pass=check_accesses --sanitize --offload-arch=cpu --kernel=k | grep -v "^target\|^attributes"

@shared = internal global [4 x i32] poison, section ".offload.shared"
@table = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]

declare void @__offload_sync_threads()
declare void @__offload_fence_device()
declare void @__offload_sync_warp(i64)
declare i32 @__offload_shuffle_down(i32, i32)
declare i32 @__offload_atomic_add_u32(ptr, i32, i32, i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @k(ptr %p, i64 %i, i32 %order) {
  %local = alloca [4 x i32]
  store i32 1, ptr %local
  %element = getelementptr [4 x i32], ptr %local, i64 0, i64 %i
  %a = load i32, ptr %element
  %entry = getelementptr [4 x i32], ptr @table, i64 0, i64 %i
  %b = load i32, ptr %entry
  store i32 %a, ptr @shared
  call void @__offload_sync_threads()
  %c = load i64, ptr %p, align 4
  store i64 %c, ptr %p
  %d = atomicrmw add ptr %p, i32 1 syncscope("workgroup") acq_rel
  %e = call i32 @__offload_atomic_add_u32(ptr %p, i32 1, i32 %order, i32 1)
  fence syncscope("device") release
  call void @__offload_fence_device()
  call void @__offload_sync_warp(i64 -1)
  %f = call i32 @__offload_shuffle_down(i32 %b, i32 4)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %p, ptr %local, i64 16, i1 false)
  ret void
}
