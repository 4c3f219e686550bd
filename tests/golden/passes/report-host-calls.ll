; Kernels on the host's processor have the panic of a call to the host's code through a pointer.
; RUN: offloadc %s --run-pass=report_host_calls --offload-arch=cpu --kernel=k | grep -v "^target"

define void @k(ptr %f) {
  call void %f()
  ret void
}
;;; stdout
;
; define void @k(ptr %f) {
;   call void %f()
;   ret void
; }
;
; ; Function Attrs: cold noreturn nounwind
; define internal void @offload_host_call() #0 {
; entry:
;   call void @__offload_panic(i32 1, i32 0, i64 0, i64 0, i64 0)
;   unreachable
; }
;
; declare void @__offload_panic(i32, i32, i64, i64, i64)
;
; attributes #0 = { cold noreturn nounwind }
