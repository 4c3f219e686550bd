; A function that does not access memory may still differ between threads, so SPIR-V gets no such attribute.
; RUN: offloadc %s --run-pass=drop_memory_effects --offload-arch=spirv64 | grep -v "^target"

declare spir_func i64 @_Z12get_local_idj(i32) memory(none)

define internal spir_func i64 @position() noinline nounwind memory(none) {
  %x = call spir_func i64 @_Z12get_local_idj(i32 0)
  ret i64 %x
}

define spir_func i32 @reads(ptr %p) memory(read) {
  %x = load i32, ptr %p
  ret i32 %x
}
;;; stdout
;
; ; Function Attrs: memory(none)
; declare spir_func i64 @_Z12get_local_idj(i32) #0
;
; ; Function Attrs: noinline nounwind
; define internal spir_func i64 @position() #1 {
;   %x = call spir_func i64 @_Z12get_local_idj(i32 0)
;   ret i64 %x
; }
;
; define spir_func i32 @reads(ptr %p) {
;   %x = load i32, ptr %p, align 4
;   ret i32 %x
; }
;
; attributes #0 = { memory(none) }
; attributes #1 = { noinline nounwind }
