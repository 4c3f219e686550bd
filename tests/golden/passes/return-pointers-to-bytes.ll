; A pointer that a function returns is computed over bytes before the return and after the call, so its type is known.
; RUN: offloadc %s --run-pass=return_pointers_to_bytes --offload-arch=spirv64 | grep -v "^target"

define internal ptr @next(ptr %p) {
  ret ptr %p
}

define ptr @f(ptr %p) {
  %n = call ptr @next(ptr %p)
  %m = call ptr @next(ptr %n)
  store ptr %m, ptr %n
  ret ptr %m
}
;;; stdout
;
; define internal ptr @next(ptr %p) {
;   %1 = freeze i64 0
;   %2 = getelementptr inbounds i8, ptr %p, i64 %1
;   ret ptr %2
; }
;
; define ptr @f(ptr %p) {
;   %n = call ptr @next(ptr %p)
;   %1 = freeze i64 0
;   %2 = getelementptr inbounds i8, ptr %n, i64 %1
;   %m = call ptr @next(ptr %2)
;   %3 = freeze i64 0
;   %4 = getelementptr inbounds i8, ptr %m, i64 %3
;   store ptr %4, ptr %2, align 8
;   %5 = freeze i64 0
;   %6 = getelementptr inbounds i8, ptr %4, i64 %5
;   ret ptr %6
; }
