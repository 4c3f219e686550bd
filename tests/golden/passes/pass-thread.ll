; A function that asks for its place gets the position of its thread as parameters.
; RUN: offloadc %s --run-pass=pass_thread --offload-arch=cpu --kernel=k | grep -v "^target"

declare i32 @__offload_thread_id_x()

define internal i32 @place() {
  %x = call i32 @__offload_thread_id_x()
  ret i32 %x
}

define void @k(ptr %out) {
  %x = call i32 @place()
  store i32 %x, ptr %out
  ret void
}
;;; stdout
;
; ; Function Attrs: alwaysinline
; define internal i32 @offload.position(ptr %0, i32 %1, i32 %2, i32 %3) #0 {
; entry:
;   ret i32 %1
; }
;
; define internal i32 @place(ptr %0, i32 %1, i32 %2, i32 %3) {
;   %x = call i32 @offload.position(ptr %0, i32 %1, i32 %2, i32 %3)
;   ret i32 %x
; }
;
; define void @k(ptr %out, ptr %0, i32 %1, i32 %2, i32 %3) {
;   %x = call i32 @place(ptr %0, i32 %1, i32 %2, i32 %3)
;   store i32 %x, ptr %out, align 4
;   ret void
; }
;
; attributes #0 = { alwaysinline }
