; The side of a branch that a constant rules out is removed, across functions, also if they get the constant in memory.
; RUN: offloadc %s --run-pass=prune --kernel=k --kernel=compare | grep -v "^target"

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

; The comparison that Rust derives.
define internal i1 @eq(ptr %one, ptr %other) {
  %a = load i8, ptr %one
  %b = load i8, ptr %other
  %same = icmp eq i8 %a, %b
  ret i1 %same
}

define internal i8 @vendor() {
  ret i8 2
}

@host = private constant i8 0

define void @compare(ptr %out) {
  %own = alloca i8
  %vendor = call i8 @vendor()
  store i8 %vendor, ptr %own
  %yes = call i1 @eq(ptr %own, ptr @host)
  br i1 %yes, label %here, label %device
here:
  store i32 1, ptr %out
  ret void
device:
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
;
; define internal i1 @eq(i8 %one.0.val) {
;   ret i1 poison
; }
;
; define internal i8 @vendor() {
;   ret i8 poison
; }
;
; define void @compare(ptr %out) {
; device:
;   %vendor = call i8 @vendor()
;   %yes = call i1 @eq(i8 2)
;   store i32 2, ptr %out, align 4
;   ret void
; }
