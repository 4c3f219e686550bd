; On the CPU, a call through a pointer first checks whether the function is device code.
; RUN: offloadc %s --run-pass=check_callees --offload-arch=cpu --kernel=k | grep -v "^target"

define internal void @offload_host_call() {
  unreachable
}

define internal void @own() {
  ret void
}

define void @k(ptr %out, ptr %f) {
  store ptr @own, ptr %out
  call void %f()
  ret void
}
;;; stdout
;
; define internal void @offload_host_call() {
;   unreachable
; }
;
; define internal void @own() {
;   ret void
; }
;
; define void @k(ptr %out, ptr %f) {
;   store ptr @own, ptr %out, align 8
;   call void @offload_check_callee(ptr %f)
;   call void %f()
;   ret void
; }
;
; declare void @offload_code_begin()
;
; declare void @offload_code_end()
;
; ; Function Attrs: alwaysinline nounwind
; define internal void @offload_check_callee(ptr %0) #0 {
; entry:
;   %1 = ptrtoint ptr %0 to i64
;   %2 = sub i64 %1, ptrtoint (ptr @offload_code_begin to i64)
;   %outside = icmp uge i64 %2, sub (i64 ptrtoint (ptr @offload_code_end to i64), i64 ptrtoint (ptr @offload_code_begin to i64))
;   br i1 %outside, label %wrong, label %right
;
; wrong:                                            ; preds = %entry
;   call void @offload_host_call()
;   unreachable
;
; right:                                            ; preds = %entry
;   ret void
; }
;
; attributes #0 = { alwaysinline nounwind }
