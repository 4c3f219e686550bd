; Locals become registers and calls are inlined, and each access to other memory remains, even if it is not needed.
; RUN: offloadc %s --run-pass=expose_accesses --sanitize --offload-arch=cpu --kernel=k | grep -v "^target"

define internal i32 @twice(ptr %p) {
  %a = load i32, ptr %p
  %b = load i32, ptr %p
  %sum = add i32 %a, %b
  ret i32 %sum
}

define internal i64 @nothing() {
  ret i64 undef
}

define void @k(ptr %p) {
  %local = alloca i32
  %nothing = call i64 @nothing()
  store i64 %nothing, ptr %p
  %sum = call i32 @twice(ptr %p)
  store i32 %sum, ptr %local
  %again = load i32, ptr %local
  store i32 0, ptr %p
  store i32 %again, ptr %p
  ret void
}
;;; stdout
;
; @offload.check.unwritten = external global i128
;
; define void @k(ptr %p) {
;   %1 = load i32, ptr @offload.check.unwritten, align 1
;   %2 = load i64, ptr @offload.check.unwritten, align 1
;   store i64 %2, ptr %p, align 4
;   %a.i = load i32, ptr %p, align 4
;   %b.i = load i32, ptr %p, align 4
;   %sum.i = add i32 %a.i, %b.i
;   store i32 0, ptr %p, align 4
;   store i32 %sum.i, ptr %p, align 4
;   ret void
; }
