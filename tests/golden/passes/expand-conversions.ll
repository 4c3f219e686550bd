; A conversion of a 128-bit integer is arithmetic on words; of a 64-bit integer it stays.
; RUN: offloadc %s --run-pass=expand_conversions | grep -v "^target"
; CHECK: fptosi double %x to i64
; CHECK: define i128 @wide
; CHECK-NOT: fptosi double %x to i128
; CHECK: ret i128

define i64 @narrow(double %x) {
  %r = fptosi double %x to i64
  ret i64 %r
}

define i128 @wide(double %x) {
  %r = fptosi double %x to i128
  ret i128 %r
}
