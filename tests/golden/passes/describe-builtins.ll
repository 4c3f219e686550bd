; Builtins get attributes for the memory that they read and write. A fence and the host may do anything, and so may
; operations in which threads wait for each other. A builtin with a body needs no attributes.
; RUN: offloadc %s --run-pass=describe_builtins | grep -v "^target"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()
declare void @__offload_launch_bounds(i32, i32)
declare void @__offload_fence_device()
declare i32 @__offload_call_host(i64, ptr, i64, ptr, i64)
declare void @__offload_print(ptr, i64)
declare i1 @__offload_has_feature(ptr, i64)
declare i32 @__offload_arch()
declare i64 @__offload_ballot(i1)

define i32 @__offload_lane_id() {
  ret i32 0
}

define i32 @f() {
  %r = call i32 @__offload_thread_id_x()
  ret i32 %r
}
;;; stdout
;
; ; Function Attrs: nounwind willreturn memory(none)
; declare i32 @__offload_thread_id_x() #0
;
; ; Function Attrs: nounwind willreturn
; declare void @__offload_sync_threads() #1
;
; ; Function Attrs: nounwind willreturn memory(inaccessiblemem: readwrite)
; declare void @__offload_launch_bounds(i32, i32) #2
;
; ; Function Attrs: nounwind willreturn
; declare void @__offload_fence_device() #1
;
; ; Function Attrs: nounwind willreturn
; declare i32 @__offload_call_host(i64, ptr, i64, ptr, i64) #1
;
; ; Function Attrs: nounwind willreturn memory(argmem: read, inaccessiblemem: readwrite)
; declare void @__offload_print(ptr, i64) #3
;
; ; Function Attrs: nounwind willreturn memory(argmem: read)
; declare i1 @__offload_has_feature(ptr, i64) #4
;
; ; Function Attrs: nounwind willreturn memory(none)
; declare i32 @__offload_arch() #0
;
; ; Function Attrs: nounwind willreturn
; declare i64 @__offload_ballot(i1) #1
;
; define i32 @__offload_lane_id() {
;   ret i32 0
; }
;
; define i32 @f() {
;   %r = call i32 @__offload_thread_id_x()
;   ret i32 %r
; }
;
; attributes #0 = { nounwind willreturn memory(none) }
; attributes #1 = { nounwind willreturn }
; attributes #2 = { nounwind willreturn memory(inaccessiblemem: readwrite) }
; attributes #3 = { nounwind willreturn memory(argmem: read, inaccessiblemem: readwrite) }
; attributes #4 = { nounwind willreturn memory(argmem: read) }
