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

; A saturating conversion and one of a vector are, too. A float of 16 bits is below 2^63. Wider types stay.
; CHECK: define i128 @saturates
; CHECK-NOT: @llvm.fptosi.sat.i128.f64
; CHECK: ret i128
define i128 @saturates(double %x) {
  %r = call i128 @llvm.fptosi.sat.i128.f64(double %x)
  ret i128 %r
}

; CHECK: define i128 @saturates.unsigned
; CHECK-NOT: @llvm.fptoui.sat.i128.f32
; CHECK: ret i128
define i128 @saturates.unsigned(float %x) {
  %r = call i128 @llvm.fptoui.sat.i128.f32(float %x)
  ret i128 %r
}

; CHECK: define <2 x i128> @lanes
; CHECK-NOT: <2 x float> %x to
; CHECK: extractelement <2 x float> %x, i32 0
; CHECK: fptoui float {{.*}} to i64
; CHECK: extractelement <2 x float> %x, i32 1
; CHECK: fptoui float {{.*}} to i64
; CHECK: ret <2 x i128>
define <2 x i128> @lanes(<2 x float> %x) {
  %r = fptoui <2 x float> %x to <2 x i128>
  ret <2 x i128> %r
}

; CHECK: define i96 @half
; CHECK: fptosi half %x to i64
; CHECK-NOT: bitcast
; CHECK: ret i96
define i96 @half(half %x) {
  %r = fptosi half %x to i96
  ret i96 %r
}

; CHECK: define i96 @cut
; CHECK: trunc i128 {{.*}} to i96
; CHECK: ret i96
define i96 @cut(double %x) {
  %r = fptosi double %x to i96
  ret i96 %r
}

; CHECK: define i128 @kept
; CHECK: fptosi fp128 %x to i128
; CHECK: fptosi double %y to i256
; CHECK: @llvm.fptosi.sat.i64.f64
; CHECK: ret i128
define i128 @kept(fp128 %x, double %y, ptr %out) {
  %r = fptosi fp128 %x to i128
  %wider = fptosi double %y to i256
  store i256 %wider, ptr %out
  %narrow = call i64 @llvm.fptosi.sat.i64.f64(double %y)
  store i64 %narrow, ptr %out
  ret i128 %r
}
