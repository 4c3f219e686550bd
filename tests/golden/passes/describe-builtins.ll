; The optimiser is told what builtins read and write.
; RUN: offloadc %s --run-pass=describe_builtins | grep -v "^target"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()
declare void @__offload_launch_bounds(i32, i32)

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
; define i32 @f() {
;   %r = call i32 @__offload_thread_id_x()
;   ret i32 %r
; }
;
; attributes #0 = { nounwind willreturn memory(none) }
; attributes #1 = { nounwind willreturn }
; attributes #2 = { nounwind willreturn memory(inaccessiblemem: readwrite) }
