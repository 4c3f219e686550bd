; On the host a kernel is a function of one thread.
; RUN: offloadc %s --run-pass=define_host_builtins | grep -v "^target"

declare i32 @__offload_thread_id_x()
declare i32 @__offload_block_dim_x()
declare void @__offload_sync_threads()

define i32 @f() {
  %id = call i32 @__offload_thread_id_x()
  %size = call i32 @__offload_block_dim_x()
  call void @__offload_sync_threads()
  ret i32 %size
}
;;; stdout
;
; ; Function Attrs: alwaysinline
; define internal i32 @__offload_thread_id_x() #0 {
; entry:
;   ret i32 0
; }
;
; ; Function Attrs: alwaysinline
; define internal i32 @__offload_block_dim_x() #0 {
; entry:
;   ret i32 1
; }
;
; ; Function Attrs: alwaysinline
; define internal void @__offload_sync_threads() #0 {
; entry:
;   ret void
; }
;
; define i32 @f() {
;   %id = call i32 @__offload_thread_id_x()
;   %size = call i32 @__offload_block_dim_x()
;   call void @__offload_sync_threads()
;   ret i32 %size
; }
;
; attributes #0 = { alwaysinline }
