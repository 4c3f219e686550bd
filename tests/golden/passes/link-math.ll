; A math function that is used gets its body from the portable library, without any other function.
; RUN: offloadc %s --run-pass=link_math | grep -v "^target"
; CHECK: define double @f
; CHECK: define{{.*}}@__offload_math.trunc(double
; CHECK-NOT: @__offload_math.sin

declare double @"__offload_math.trunc"(double)

define double @f(double %x) {
  %r = call double @"__offload_math.trunc"(double %x)
  ret double %r
}
