; Each access to memory that other threads can name is checked, and barriers, fences and the heap are, too. Locals and
; arguments are not, unless the index is computed. A fence of one thread orders nothing, and other calls access no
; memory here.
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

declare void @__offload_atomic_fence(i32, i32)
declare noalias ptr @_RNvCsjPkQ3xVFGkI_7___rustc12___rust_alloc(i64, i64)
declare void @_RNvCsjPkQ3xVFGkI_7___rustc14___rust_dealloc(ptr, i64, i64)
declare void @other(ptr)

define void @more(ptr %p, i64 %n, i32 %order, ptr %f) {
  %a = load atomic i32, ptr %p monotonic, align 4
  store atomic i32 %a, ptr %p release, align 4
  %b = cmpxchg ptr %p, i32 1, i32 2 acq_rel monotonic
  fence syncscope("singlethread") seq_cst
  call void @__offload_atomic_fence(i32 %order, i32 1)
  %c = load <3 x i32>, ptr %p, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr align 8 %p, i64 %n, i1 false)
  %heap = call ptr @_RNvCsjPkQ3xVFGkI_7___rustc12___rust_alloc(i64 %n, i64 8)
  call void @_RNvCsjPkQ3xVFGkI_7___rustc14___rust_dealloc(ptr %heap, i64 %n, i64 8)
  call void @other(ptr %p)
  call void %f(ptr %p)
  ret void
}
;;; stdout
;
; @shared = internal global [4 x i32] poison, section ".offload.shared"
; @table = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
; @offload.check.text = private constant [1 x i8] zeroinitializer
; @offload.check.text.1 = private constant [2 x i8] c"k\00"
; @offload.check.place = private constant { ptr, ptr, i32, i32, ptr } { ptr @offload.check.text, ptr @offload.check.text.1, i32 0, i32 0, ptr null }
; @offload.check.text.2 = private constant [5 x i8] c"more\00"
; @offload.check.place.3 = private constant { ptr, ptr, i32, i32, ptr } { ptr @offload.check.text, ptr @offload.check.text.2, i32 0, i32 0, ptr null }
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
; declare void @__offload_atomic_fence(i32, i32)
;
; declare noalias ptr @_RNvCsjPkQ3xVFGkI_7___rustc12___rust_alloc(i64, i64)
;
; declare void @_RNvCsjPkQ3xVFGkI_7___rustc14___rust_dealloc(ptr, i64, i64)
;
; declare void @other(ptr)
;
; define void @more(ptr %p, i64 %n, i32 %order, ptr %f) {
;   call void @offloadrt_check_atomic(ptr %p, i32 4, i32 1, ptr @offload.check.place.3)
;   %a = load atomic i32, ptr %p monotonic, align 4
;   call void @offloadrt_check_atomic_done(ptr %p, i32 4, i32 1, ptr @offload.check.place.3)
;   call void @offloadrt_check_atomic(ptr %p, i32 4, i32 770, ptr @offload.check.place.3)
;   store atomic i32 %a, ptr %p release, align 4
;   call void @offloadrt_check_atomic_done(ptr %p, i32 4, i32 770, ptr @offload.check.place.3)
;   call void @offloadrt_check_atomic(ptr %p, i32 4, i32 1027, ptr @offload.check.place.3)
;   %b = cmpxchg ptr %p, i32 1, i32 2 acq_rel monotonic, align 4
;   call void @offloadrt_check_atomic_done(ptr %p, i32 4, i32 1027, ptr @offload.check.place.3)
;   fence syncscope("singlethread") seq_cst
;   %1 = shl i32 %order, 8
;   %2 = or i32 19, %1
;   call void @offloadrt_check_fence(i32 %2)
;   call void @__offload_atomic_fence(i32 %order, i32 1)
;   call void @offloadrt_check_read_range(ptr %p, i64 12, i64 4, ptr @offload.check.place.3)
;   %c = load <3 x i32>, ptr %p, align 4
;   call void @offloadrt_check_read_range(ptr %p, i64 %n, i64 8, ptr @offload.check.place.3)
;   call void @offloadrt_check_write_range(ptr %p, i64 %n, i64 1, ptr @offload.check.place.3)
;   call void @llvm.memcpy.p0.p0.i64(ptr %p, ptr align 8 %p, i64 %n, i1 false)
;   %heap = call ptr @_RNvCsjPkQ3xVFGkI_7___rustc12___rust_alloc(i64 %n, i64 8)
;   call void @offloadrt_check_allocated(ptr %heap, i64 %n, i32 0)
;   call void @offloadrt_check_freed(ptr %heap, i64 %n, ptr @offload.check.place.3)
;   call void @_RNvCsjPkQ3xVFGkI_7___rustc14___rust_dealloc(ptr %heap, i64 %n, i64 8)
;   call void @other(ptr %p)
;   call void %f(ptr %p)
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
; ; Function Attrs: nounwind memory(argmem: readwrite, inaccessiblemem: readwrite)
; declare void @offloadrt_check_allocated(ptr, i64, i32) #2
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare void @offloadrt_check_freed(ptr, i64, ptr) #1
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare void @offloadrt_check_exit(ptr) #1
;
;
; !llvm.module.flags = !{!0}
;
; !0 = !{i32 2, !"offload.sanitize", i32 1}
