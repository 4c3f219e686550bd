; A kernel that reaches the launch's state is marked; another one is not.
; RUN: offloadc %s --run-pass=mark_launch_state --kernel=takes --kernel=leaves | grep -v "^target"

declare ptr @__offload_launch_state()

define internal ptr @asks() {
  %state = call ptr @__offload_launch_state()
  ret ptr %state
}

define void @takes(ptr %out) {
  %state = call ptr @asks()
  store ptr %state, ptr %out
  ret void
}

define void @leaves(ptr %out) {
  ret void
}
;;; stdout
;
; declare ptr @__offload_launch_state()
;
; define internal ptr @asks() {
;   %state = call ptr @__offload_launch_state()
;   ret ptr %state
; }
;
; define void @takes(ptr %out) #0 {
;   %state = call ptr @asks()
;   store ptr %state, ptr %out, align 8
;   ret void
; }
;
; define void @leaves(ptr %out) {
;   ret void
; }
;
; attributes #0 = { "offload-launch-state" }
