; The target defines the builtins that are called, and those that are not called are removed. One that was defined
; before stays.
; RUN: offloadc %s --run-pass=lower_builtins --offload-arch=sm_80 | grep -v "^target"
; RUN[barrier]: offloadc %s --run-pass=lower_builtins --offload-arch=gfx90a | grep -v "^target"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_id_y()
declare void @__offload_sync_threads()

define i32 @f() {
  %x = call i32 @__offload_thread_id_x()
  call void @__offload_sync_threads()
  ret i32 %x
}

define internal i32 @__offload_lane_id() {
  ret i32 3
}

define i32 @lane() {
  %lane = call i32 @__offload_lane_id()
  ret i32 %lane
}
;;; stdout
;
; ; Function Attrs: alwaysinline nounwind
; define internal i32 @__offload_thread_id_x() #0 {
; entry:
;   %0 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
;   ret i32 %0
; }
;
; ; Function Attrs: alwaysinline convergent nounwind
; define internal void @__offload_sync_threads() #1 {
; entry:
;   call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
;   ret void
; }
;
; define i32 @f() {
;   %x = call i32 @__offload_thread_id_x()
;   call void @__offload_sync_threads()
;   ret i32 %x
; }
;
; define internal i32 @__offload_lane_id() {
;   ret i32 3
; }
;
; define i32 @lane() {
;   %lane = call i32 @__offload_lane_id()
;   ret i32 %lane
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
; declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2
;
; ; Function Attrs: convergent nocallback nounwind
; declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #3
;
; attributes #0 = { alwaysinline nounwind }
; attributes #1 = { alwaysinline convergent nounwind }
; attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
; attributes #3 = { convergent nocallback nounwind }
;;; stdout[barrier]
;
; ; Function Attrs: alwaysinline nounwind
; define internal i32 @__offload_thread_id_x() #0 {
; entry:
;   %0 = call i32 @llvm.amdgcn.workitem.id.x()
;   ret i32 %0
; }
;
; ; Function Attrs: alwaysinline convergent nounwind
; define internal void @__offload_sync_threads() #1 {
; entry:
;   fence syncscope("workgroup") release
;   call void @llvm.amdgcn.s.barrier()
;   fence syncscope("workgroup") acquire
;   ret void
; }
;
; define i32 @f() {
;   %x = call i32 @__offload_thread_id_x()
;   call void @__offload_sync_threads()
;   ret i32 %x
; }
;
; define internal i32 @__offload_lane_id() {
;   ret i32 3
; }
;
; define i32 @lane() {
;   %lane = call i32 @__offload_lane_id()
;   ret i32 %lane
; }
;
; ; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
; declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #2
;
; ; Function Attrs: convergent nocallback nofree nounwind willreturn
; declare void @llvm.amdgcn.s.barrier() #3
;
; attributes #0 = { alwaysinline nounwind }
; attributes #1 = { alwaysinline convergent nounwind }
; attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
; attributes #3 = { convergent nocallback nofree nounwind willreturn }
