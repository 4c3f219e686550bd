; A panic becomes numbers, a trap, or nothing, and nothing of its machinery is left.
; RUN[report]: offloadc %s --offload-arch=cpu --emit=legalize=-
; RUN[trap]: offloadc %s --offload-arch=cpu --device-panic=trap --emit=legalize=- | sed '/^attributes/,$d'
; RUN[unreachable]: offloadc %s --offload-arch=cpu --device-panic=unreachable --emit=simplify=- | sed '/^attributes/,$d'
; RUN[validate]: offloadc %s --offload-arch=cpu --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

@message = private constant [3 x i8] c"a.r"
@place = private constant { ptr, i64, i32, i32 } { ptr @message, i64 3, i32 1, i32 1 }

declare void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64, i64, ptr) noreturn
declare i32 @rust_eh_personality(...)

define ptx_kernel void @get(i64 %i, ptr %out) personality ptr @rust_eh_personality {
  %inside = icmp ult i64 %i, 4
  br i1 %inside, label %good, label %bad
good:
  store i32 7, ptr %out
  ret void
bad:
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 %i, i64 4, ptr @place)
  unreachable
}
;;; stdout[report]
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; @message = internal constant [3 x i8] c"a.r"
; @place = internal constant { ptr, i64, i32, i32 } { ptr @message, i64 3, i32 1, i32 1 }
; @offload.no_place = internal constant [4 x i64] zeroinitializer
;
; ; Function Attrs: alwaysinline noreturn
; define internal void @offload._RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 %0, i64 %1, ptr %2) #0 {
; entry:
;   %3 = getelementptr inbounds i8, ptr %2, i64 24
;   %4 = load i32, ptr %3, align 4, !invariant.load !0
;   call void @__offload_panic(i32 1, i32 %4, i64 %0, i64 %1, i64 0)
;   unreachable
; }
;
; ; Function Attrs: alwaysinline
; define internal i32 @rust_eh_personality(...) #1 {
; entry:
;   call void @llvm.trap()
;   unreachable
; }
;
; define void @get(i64 %i, ptr %out) {
;   %inside = icmp ult i64 %i, 4
;   br i1 %inside, label %good, label %bad
;
; good:                                             ; preds = %0
;   store i32 7, ptr %out, align 4
;   ret void
;
; bad:                                              ; preds = %0
;   call void @offload._RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 %i, i64 4, ptr @offload.no_place)
;   unreachable
; }
;
; ; Function Attrs: cold noreturn nounwind memory(read, inaccessiblemem: readwrite)
; declare void @__offload_panic(i32, i32, i64, i64, i64) #2
;
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
; declare void @llvm.trap() #3
;
; attributes #0 = { alwaysinline noreturn }
; attributes #1 = { alwaysinline }
; attributes #2 = { cold noreturn nounwind memory(read, inaccessiblemem: readwrite) }
; attributes #3 = { cold noreturn nounwind memory(inaccessiblemem: write) }
;
; !0 = !{}
;;; stdout[trap]
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; @message = internal constant [3 x i8] c"a.r"
; @place = internal constant { ptr, i64, i32, i32 } { ptr @message, i64 3, i32 1, i32 1 }
;
; ; Function Attrs: alwaysinline noreturn
; define internal void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 %0, i64 %1, ptr %2) #0 {
; entry:
;   call void @llvm.trap()
;   unreachable
; }
;
; ; Function Attrs: alwaysinline
; define internal i32 @rust_eh_personality(...) #1 {
; entry:
;   call void @llvm.trap()
;   unreachable
; }
;
; define void @get(i64 %i, ptr %out) {
;   %inside = icmp ult i64 %i, 4
;   br i1 %inside, label %good, label %bad
;
; good:                                             ; preds = %0
;   store i32 7, ptr %out, align 4
;   ret void
;
; bad:                                              ; preds = %0
;   call void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 %i, i64 4, ptr @place)
;   unreachable
; }
;
; ; Function Attrs: cold noreturn nounwind memory(inaccessiblemem: write)
; declare void @llvm.trap() #2
;
;;; stdout[unreachable]
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; ; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: write, inaccessiblemem: write)
; define void @get(i64 %i, ptr writeonly captures(none) initializes((0, 4)) %out) local_unnamed_addr #0 {
; good:
;   %inside = icmp ult i64 %i, 4
;   tail call void @llvm.assume(i1 %inside)
;   store i32 7, ptr %out, align 4
;   ret void
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write)
; declare void @llvm.assume(i1 noundef) #1
;
;;; stdout[validate]
; target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
; target triple = "x86_64-unknown-linux-gnu"
;
; ; Function Attrs: nounwind
; define void @get(i64 %i, ptr writeonly captures(none) %out) local_unnamed_addr #0 {
;   %inside = icmp ult i64 %i, 4
;   br i1 %inside, label %good, label %bad
;
; good:                                             ; preds = %0
;   store i32 7, ptr %out, align 4
;   ret void
;
; bad:                                              ; preds = %0
;   %1 = call ptr @__offload_launch_state()
;   call void @offload_record(ptr %1, i32 1, i32 0, i64 %i, i64 4, i64 0)
;   call void @__offload_leave()
;   unreachable
; }
;
; ; Function Attrs: nounwind willreturn memory(none)
; declare ptr @__offload_launch_state() #1
;
; ; Function Attrs: cold noreturn nounwind
; declare void @__offload_leave() #2
;
; ; Function Attrs: cold noinline nounwind
; define internal void @offload_record(ptr %0, i32 %1, i32 %2, i64 %3, i64 %4, i64 %5) #3 {
; entry:
;   %6 = getelementptr inbounds i8, ptr %0, i64 0
;   %7 = atomicrmw xchg ptr %6, i32 1 syncscope("device") monotonic, align 4
;   %8 = icmp eq i32 %7, 0
;   br i1 %8, label %first, label %done
;
; first:                                            ; preds = %entry
;   %9 = getelementptr inbounds i8, ptr %0, i64 4
;   store i32 %1, ptr %9, align 4
;   %10 = getelementptr inbounds i8, ptr %0, i64 8
;   store i32 %2, ptr %10, align 4
;   %11 = getelementptr inbounds i8, ptr %0, i64 16
;   store i64 %3, ptr %11, align 8
;   %12 = getelementptr inbounds i8, ptr %0, i64 24
;   store i64 %4, ptr %12, align 8
;   %13 = getelementptr inbounds i8, ptr %0, i64 32
;   store i64 %5, ptr %13, align 8
;   %14 = call i32 @__offload_block_id_x()
;   %15 = getelementptr inbounds i8, ptr %0, i64 40
;   store i32 %14, ptr %15, align 4
;   %16 = call i32 @__offload_block_id_y()
;   %17 = getelementptr inbounds i8, ptr %0, i64 44
;   store i32 %16, ptr %17, align 4
;   %18 = call i32 @__offload_block_id_z()
;   %19 = getelementptr inbounds i8, ptr %0, i64 48
;   store i32 %18, ptr %19, align 4
;   %20 = call i32 @__offload_thread_id_x()
;   %21 = getelementptr inbounds i8, ptr %0, i64 52
;   store i32 %20, ptr %21, align 4
;   %22 = call i32 @__offload_thread_id_y()
;   %23 = getelementptr inbounds i8, ptr %0, i64 56
;   store i32 %22, ptr %23, align 4
;   %24 = call i32 @__offload_thread_id_z()
;   %25 = getelementptr inbounds i8, ptr %0, i64 60
;   store i32 %24, ptr %25, align 4
;   br label %done
;
; done:                                             ; preds = %first, %entry
;   ret void
; }
;
; declare i32 @__offload_block_id_x()
;
; declare i32 @__offload_block_id_y()
;
; declare i32 @__offload_block_id_z()
;
; declare i32 @__offload_thread_id_x()
;
; declare i32 @__offload_thread_id_y()
;
; declare i32 @__offload_thread_id_z()
;
; attributes #0 = { nounwind "offload-launch-state" }
; attributes #1 = { nounwind willreturn memory(none) }
; attributes #2 = { cold noreturn nounwind }
; attributes #3 = { cold noinline nounwind }
