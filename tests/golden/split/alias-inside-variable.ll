; An alias of a place inside a variable stays that place.
; RUN: offloadc %s --offload-arch=cpu --emit=legalize=-
; CHECK: @numbers = internal constant [4 x i32]
; CHECK: load i32, ptr getelementptr inbounds (i8, ptr @numbers, i64 8)
; CHECK: load i32, ptr getelementptr (i8, ptr getelementptr inbounds (i8, ptr @numbers, i64 8), i64 4)

target triple = "x86_64-unknown-linux-gnu"

@numbers = constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@third = alias i32, getelementptr inbounds (i8, ptr @numbers, i64 8)
@again = internal alias i32, ptr @third

define ptx_kernel void @k(ptr %out) {
  %a = load i32, ptr @again
  store i32 %a, ptr %out
  %b = load i32, ptr getelementptr (i8, ptr @third, i64 4)
  store volatile i32 %b, ptr %out
  ret void
}
