; Functions that ask for the launch's state get it as their last parameter; only kernels still ask.
; RUN: offloadc %s --run-pass=pass_launch_state --offload-arch=sm_80 --kernel=k | grep -v "^target"

declare ptr @__offload_launch_state()

define internal i32 @inner(i32 %x) {
  %state = call ptr @__offload_launch_state()
  %r = load i32, ptr %state
  ret i32 %r
}

define void @k(ptr %out) {
  %r = call i32 @inner(i32 7)
  store i32 %r, ptr %out
  ret void
}
;;; stdout
;
; declare ptr @__offload_launch_state()
;
; define internal i32 @inner(i32 %x, ptr %0) {
;   %r = load i32, ptr %0, align 4
;   ret i32 %r
; }
;
; define void @k(ptr %out) {
;   %1 = call ptr @__offload_launch_state()
;   %r = call i32 @inner(i32 7, ptr %1)
;   store i32 %r, ptr %out, align 4
;   ret void
; }
