; A choice between structs is a choice for each field.
; RUN: offloadc %s --run-pass=split_aggregates --offload-arch=spirv64 | grep -v "^target"

define i32 @f(i1 %c, { i32, i64 } %a, { i32, i64 } %b) {
  %chosen = select i1 %c, { i32, i64 } %a, { i32, i64 } %b
  %first = extractvalue { i32, i64 } %chosen, 0
  ret i32 %first
}
;;; stdout
;
; define i32 @f(i1 %c, { i32, i64 } %a, { i32, i64 } %b) {
;   %1 = extractvalue { i32, i64 } %a, 0
;   %2 = extractvalue { i32, i64 } %b, 0
;   %3 = select i1 %c, i32 %1, i32 %2
;   %4 = extractvalue { i32, i64 } %a, 1
;   %5 = extractvalue { i32, i64 } %b, 1
;   %6 = select i1 %c, i64 %4, i64 %5
;   %7 = insertvalue { i32, i64 } poison, i32 %3, 0
;   %8 = insertvalue { i32, i64 } %7, i64 %6, 1
;   %first = extractvalue { i32, i64 } %8, 0
;   ret i32 %3
; }
