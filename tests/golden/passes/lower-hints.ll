; A question of the host for constants is answered, and an expected value is the value.
; RUN: offloadc %s --run-pass=lower_hints --offload-arch=spirv64 | grep -v "^target"
; CHECK: define i64 @f
; CHECK-NOT: call i1 @llvm.is.constant
; CHECK-NOT: call i64 @llvm.expect
; CHECK: ret i64

define i64 @f(i64 %x) {
  %known = call i1 @llvm.is.constant.i64(i64 %x)
  %likely = call i64 @llvm.expect.i64(i64 %x, i64 1)
  %r = select i1 %known, i64 0, i64 %likely
  ret i64 %r
}
