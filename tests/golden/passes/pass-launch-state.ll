; Functions that ask for the launch's state get it as their last parameter; only kernels still ask. A function that calls
; itself passes it on. One whose address is taken reads it from memory of the block, which the kernels write that take the
; state.
; RUN: offloadc %s --run-pass=pass_launch_state --offload-arch=sm_80 --kernel=k --kernel=takes --kernel=without | grep -v "^target"

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

define internal i32 @again(i32 %x) {
  %state = call ptr @__offload_launch_state()
  %r = load i32, ptr %state
  %rest = call i32 @again(i32 %r)
  ret i32 %rest
}

define internal i32 @taken(i32 %x) {
  %state = call ptr @__offload_launch_state()
  %r = load i32, ptr %state
  ret i32 %r
}

define void @takes(ptr %out) "offload-launch-state" {
  store ptr @taken, ptr %out
  %r = call i32 @again(i32 7)
  ret void
}

define void @without(ptr %out) {
  ret void
}
;;; stdout
;
; @offload.launch_state = internal addrspace(3) global ptr poison
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
;
; define internal i32 @again(i32 %x, ptr %0) {
;   %r = load i32, ptr %0, align 4
;   %rest = call i32 @again(i32 %r, ptr %0)
;   ret i32 %rest
; }
;
; define internal i32 @taken(i32 %x) {
;   %1 = load ptr, ptr addrspace(3) @offload.launch_state, align 8
;   %r = load i32, ptr %1, align 4
;   ret i32 %r
; }
;
; define void @takes(ptr %out) #0 {
;   %1 = call ptr @__offload_launch_state()
;   store ptr %1, ptr addrspace(3) @offload.launch_state, align 8
;   store ptr @taken, ptr %out, align 8
;   %2 = call ptr @__offload_launch_state()
;   %r = call i32 @again(i32 7, ptr %2)
;   ret void
; }
;
; define void @without(ptr %out) {
;   ret void
; }
;
; attributes #0 = { "offload-launch-state" }
