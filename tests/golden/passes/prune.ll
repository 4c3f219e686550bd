; The side of a branch that a constant rules out goes, across functions.
; RUN: offloadc %s --run-pass=prune --kernel=k | grep -v "^target"

define internal i1 @answer() {
  ret i1 true
}

define void @k(ptr %out) {
  %yes = call i1 @answer()
  br i1 %yes, label %device, label %host
device:
  store i32 1, ptr %out
  ret void
host:
  store i32 2, ptr %out
  ret void
}
;;; stdout
;
; define internal i1 @answer() {
;   ret i1 poison
; }
;
; define void @k(ptr %out) {
; device:
;   %yes = call i1 @answer()
;   store i32 1, ptr %out, align 4
;   ret void
; }
