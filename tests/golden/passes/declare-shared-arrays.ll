; A call that names shared memory becomes the address of a static, which calls with the same arguments share. A call stays
; if an argument is not constant, if the alignment is none, if it names no function, or if it has other arguments. Without
; any of these, the declaration goes.
; RUN: offloadc %s --run-pass=declare_shared_arrays | grep -v "^target"
; RUN[all]: sed -E '/%(d|e|odd|wide|unnamed|short)( =|$)/d' %s >all.ll && offloadc all.ll --run-pass=declare_shared_arrays | \
;   grep -E "^(declare|define)"

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
  %odd = call ptr @__offload_shared_array(ptr @tile, i64 64, i64 3)
  store i32 6, ptr %odd
  %wide = call ptr @__offload_shared_array(ptr @tile, i64 64, i64 4294967296)
  store i32 7, ptr %wide
  %unnamed = call ptr @__offload_shared_array(ptr null, i64 64, i64 4)
  store i32 8, ptr %unnamed
  %short = call ptr @__offload_shared_array(ptr @tile, i64 64)
  store i32 9, ptr %short
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
;   %odd = call ptr @__offload_shared_array(ptr @tile, i64 64, i64 3)
;   store i32 6, ptr %odd, align 4
;   %wide = call ptr @__offload_shared_array(ptr @tile, i64 64, i64 4294967296)
;   store i32 7, ptr %wide, align 4
;   %unnamed = call ptr @__offload_shared_array(ptr null, i64 64, i64 4)
;   store i32 8, ptr %unnamed, align 4
;   %short = call ptr @__offload_shared_array(ptr @tile, i64 64)
;   store i32 9, ptr %short, align 4
;   ret void
; }
;;; stdout[all]
; declare void @tile()
; declare void @other()
; define void @f(i64 %size) {
