; A call that names shared memory becomes the address of a static, which calls with the same arguments share. A call with
; an argument that is not constant stays.
; RUN: offloadc %s --run-pass=declare_shared_arrays | grep -v "^target"

declare ptr @__offload_shared_array(ptr, i64, i64)
declare void @tile()
declare void @other()

define void @f(i64 %size) {
  %a = call ptr @__offload_shared_array(ptr @tile, i64 64, i64 4)
  store i32 1, ptr %a
  %b = call ptr @__offload_shared_array(ptr @tile, i64 64, i64 4)
  store i32 2, ptr %b
  %c = call ptr @__offload_shared_array(ptr @other, i64 64, i64 16)
  store i32 3, ptr %c
  %local = alloca i64
  store i64 8, ptr %local
  %constant = load i64, ptr %local
  %d = call ptr @__offload_shared_array(ptr @tile, i64 %constant, i64 4)
  store i32 4, ptr %d
  %e = call ptr @__offload_shared_array(ptr @tile, i64 %size, i64 4)
  store i32 5, ptr %e
  ret void
}
;;; stdout
;
; @tile.shared = internal global [8 x i8] poison, section ".offload.shared", align 4
; @other.shared = internal global [64 x i8] poison, section ".offload.shared", align 16
; @tile.shared.1 = internal global [64 x i8] poison, section ".offload.shared", align 4
;
; declare ptr @__offload_shared_array(ptr, i64, i64)
;
; declare void @tile()
;
; declare void @other()
;
; define void @f(i64 %size) {
;   store i32 1, ptr @tile.shared.1, align 4
;   store i32 2, ptr @tile.shared.1, align 4
;   store i32 3, ptr @other.shared, align 4
;   %local = alloca i64, align 8
;   store i64 8, ptr %local, align 4
;   %constant = load i64, ptr %local, align 4
;   store i32 4, ptr @tile.shared, align 4
;   %e = call ptr @__offload_shared_array(ptr @tile, i64 %size, i64 4)
;   store i32 5, ptr %e, align 4
;   ret void
; }
