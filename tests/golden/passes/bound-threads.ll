; A promised size of blocks bounds the number of a thread along each axis where the driver checks the size, and a promised
; number of threads bounds it along all axes. Another kernel's number is not bounded.
; RUN[nvidia]: offloadc %s --run-pass=bound_threads --offload-arch=sm_80 --kernel=k --kernel=l --kernel=m | \
;   grep -v "^target"
; RUN[amd]: offloadc %s --run-pass=bound_threads --offload-arch=gfx90a --kernel=k --kernel=l --kernel=m | \
;   grep range

declare i32 @__offload_thread_id_x()
declare i32 @__offload_thread_id_y()

define void @k(ptr %out) "offload-launch-bounds"="0,0,64,2,1" {
  %x = call i32 @__offload_thread_id_x()
  %y = call i32 @__offload_thread_id_y()
  %sum = add i32 %x, %y
  store i32 %sum, ptr %out
  ret void
}
define void @l(ptr %out) "offload-launch-bounds"="256,2,0,0,0" {
  %x = call i32 @__offload_thread_id_x()
  store i32 %x, ptr %out
  ret void
}
define void @m(ptr %out) {
  %x = call i32 @__offload_thread_id_x()
  store i32 %x, ptr %out
  ret void
}
;;; stdout[nvidia]
;
; declare i32 @__offload_thread_id_x()
;
; declare i32 @__offload_thread_id_y()
;
; define void @k(ptr %out) #0 {
;   %x = call range(i32 0, 64) i32 @__offload_thread_id_x()
;   %y = call range(i32 0, 2) i32 @__offload_thread_id_y()
;   %sum = add i32 %x, %y
;   store i32 %sum, ptr %out, align 4
;   ret void
; }
;
; define void @l(ptr %out) #1 {
;   %x = call range(i32 0, 256) i32 @__offload_thread_id_x()
;   store i32 %x, ptr %out, align 4
;   ret void
; }
;
; define void @m(ptr %out) {
;   %x = call i32 @__offload_thread_id_x()
;   store i32 %x, ptr %out, align 4
;   ret void
; }
;
; attributes #0 = { "offload-launch-bounds"="0,0,64,2,1" }
; attributes #1 = { "offload-launch-bounds"="256,2,0,0,0" }
;;; stdout[amd]
;   %x = call range(i32 0, 128) i32 @__offload_thread_id_x()
;   %y = call range(i32 0, 128) i32 @__offload_thread_id_y()
;   %x = call range(i32 0, 256) i32 @__offload_thread_id_x()
