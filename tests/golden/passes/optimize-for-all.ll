; Inlining and locals in registers are useful for all targets.
; RUN: offloadc %s --run-pass=optimize_for_all --kernel=k -O1 | grep -v "^target"
; CHECK-NOT: @one
; CHECK: define void @k(
; CHECK: store i32 5, ptr %out
; CHECK: ret void

define internal i32 @one(i32 %x) {
  %local = alloca i32
  store i32 %x, ptr %local
  %r = load i32, ptr %local
  ret i32 %r
}

define void @k(ptr %out) {
  %r = call i32 @one(i32 5)
  store i32 %r, ptr %out
  ret void
}
