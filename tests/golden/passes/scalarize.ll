; A vector operation is an operation for each element.
; RUN: offloadc %s --run-pass=scalarize --offload-arch=spirv64 | grep -v "^target"
; CHECK: define <2 x i32> @f
; CHECK: add i32
; CHECK: add i32
; CHECK: ret <2 x i32>

define <2 x i32> @f(<2 x i32> %a, <2 x i32> %b) {
  %r = add <2 x i32> %a, %b
  ret <2 x i32> %r
}
