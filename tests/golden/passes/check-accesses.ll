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
;;; stdout
;
; @shared = internal global [4 x i32] poison, section ".offload.shared"
; @table = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
; @offload.check.text = private constant [1 x i8] zeroinitializer
; @offload.check.text.1 = private constant [2 x i8] c"k\00"
; @offload.check.place = private constant { ptr, ptr, i32, i32, ptr } { ptr @offload.check.text, ptr @offload.check.text.1, i32 0, i32 0, ptr null }
;
; declare void @__offload_sync_threads()
;
; declare void @__offload_fence_device()
;
; declare void @__offload_sync_warp(i64)
;
; declare i32 @__offload_shuffle_down(i32, i32)
;
; declare i32 @__offload_atomic_add_u32(ptr, i32, i32, i32)
;
; ; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
; declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #0
;
; define void @k(ptr %p, i64 %i, i32 %order) {
;   %local = alloca [4 x i32], align 4
;   store i32 1, ptr %local, align 4
;   %element = getelementptr [4 x i32], ptr %local, i64 0, i64 %i
;   call void @offloadrt_check_local(ptr %element, ptr %local, i64 16, i64 4, ptr @offload.check.place)
;   %a = load i32, ptr %element, align 4
;   %entry = getelementptr [4 x i32], ptr @table, i64 0, i64 %i
;   call void @offloadrt_check_local(ptr %entry, ptr @table, i64 16, i64 4, ptr @offload.check.place)
;   %b = load i32, ptr %entry, align 4
;   call void @offloadrt_check_write4(ptr @shared, ptr @offload.check.place)
;   store i32 %a, ptr @shared, align 4
;   call void @offloadrt_check_barrier(ptr @offload.check.place)
;   call void @__offload_sync_threads()
;   call void @offloadrt_check_read_range(ptr %p, i64 8, i64 4, ptr @offload.check.place)
;   %c = load i64, ptr %p, align 4
;   call void @offloadrt_check_write_range(ptr %p, i64 8, i64 4, ptr @offload.check.place)
;   store i64 %c, ptr %p, align 4
;   call void @offloadrt_check_atomic(ptr %p, i32 4, i32 1059, ptr @offload.check.place)
;   %d = atomicrmw add ptr %p, i32 1 syncscope("workgroup") acq_rel, align 4
;   call void @offloadrt_check_atomic_done(ptr %p, i32 4, i32 1059, ptr @offload.check.place)
;   %1 = shl i32 %order, 8
;   %2 = or i32 19, %1
;   call void @offloadrt_check_atomic(ptr %p, i32 4, i32 %2, ptr @offload.check.place)
;   %e = call i32 @__offload_atomic_add_u32(ptr %p, i32 1, i32 %order, i32 1)
;   call void @offloadrt_check_atomic_done(ptr %p, i32 4, i32 %2, ptr @offload.check.place)
;   call void @offloadrt_check_fence(i32 787)
;   fence syncscope("device") release
;   call void @offloadrt_check_fence(i32 1299)
;   call void @__offload_fence_device()
;   call void @offloadrt_check_warp(i64 -1, ptr @offload.check.place)
;   call void @__offload_sync_warp(i64 -1)
;   call void @offloadrt_check_shuffle(i32 3, i32 4, ptr @offload.check.place)
;   %f = call i32 @__offload_shuffle_down(i32 %b, i32 4)
;   call void @offloadrt_check_write_range(ptr %p, i64 16, i64 8, ptr @offload.check.place)
;   call void @llvm.memcpy.p0.p0.i64(ptr align 8 %p, ptr %local, i64 16, i1 false)
;   call void @offloadrt_check_exit(ptr @offload.check.place)
;   ret void
; }
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare void @offloadrt_check_local(ptr, ptr, i64, i64, ptr) #1
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare void @offloadrt_check_write4(ptr, ptr) #1
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare void @offloadrt_check_barrier(ptr) #1
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare void @offloadrt_check_read_range(ptr, i64, i64, ptr) #1
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare void @offloadrt_check_write_range(ptr, i64, i64, ptr) #1
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare void @offloadrt_check_atomic(ptr, i32, i32, ptr) #1
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare void @offloadrt_check_atomic_done(ptr, i32, i32, ptr) #1
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare void @offloadrt_check_fence(i32) #1
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare void @offloadrt_check_warp(i64, ptr) #1
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare void @offloadrt_check_shuffle(i32, i32, ptr) #1
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare void @offloadrt_check_exit(ptr) #1
;
;
; !llvm.module.flags = !{!0}
;
; !0 = !{i32 2, !"offload.sanitize", i32 1}
