; A constructor passes the variables of an instrumented module to the checker.
; RUN: offloadc %s --run-pass=announce_variables --sanitize --offload-arch=cpu --kernel=k | grep -v "^target"

@counter = internal global [2 x i32] zeroinitializer
@first = internal constant i8 1

define void @k(ptr %p) {
  store ptr @counter, ptr %p
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"offload.sanitize", i32 1}
;;; stdout
;
; @counter = internal global [2 x i32] zeroinitializer
; @first = internal constant i8 1
; @offload.check.text = private constant [8 x i8] c"counter\00"
; @offload.check.text.1 = private constant [6 x i8] c"first\00"
; @offload.check.object = private constant { i32, i32, ptr, i64, ptr, ptr, i64, ptr } { i32 1, i32 2, ptr @counter, i64 8, ptr @offload.check.text, ptr @first, i64 1, ptr @offload.check.text.1 }
; @offload.check.constructor = private constant ptr @offload.check.start, section ".init_array.00100"
; @offload.check.constructor.2 = private constant ptr @offload.check.stop, section ".fini_array"
; @llvm.compiler.used = appending global [2 x ptr] [ptr @offload.check.constructor, ptr @offload.check.constructor.2], section "llvm.metadata"
;
; define void @k(ptr %p) {
;   store ptr @counter, ptr %p, align 8
;   ret void
; }
;
; define internal void @offload.check.start() {
; entry:
;   call void @offloadrt_check_start(ptr @offload.check.object)
;   ret void
; }
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare void @offloadrt_check_start(ptr) #0
;
; define internal void @offload.check.stop() {
; entry:
;   call void @offloadrt_check_stop(ptr @offload.check.object)
;   ret void
; }
;
; ; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
; declare void @offloadrt_check_stop(ptr) #0
;
; attributes #0 = { nounwind memory(inaccessiblemem: readwrite) "offload-check" }
;
; !llvm.module.flags = !{!0}
;
; !0 = !{i32 1, !"offload.sanitize", i32 1}
