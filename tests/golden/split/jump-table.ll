; A table of numbers and one of functions, as a `match` becomes, are split together with the functions that they name.
; RUN: offloadc %s --offload-arch=cpu --emit=split=-
; CHECK: @numbers = private unnamed_addr constant [3 x i32]
; CHECK: @functions = private unnamed_addr constant [2 x ptr] [ptr @one, ptr @two]
; CHECK-NOT: @three
; CHECK: define internal i32 @one
; CHECK: define internal i32 @two

target triple = "x86_64-unknown-linux-gnu"

@numbers = private unnamed_addr constant [3 x i32] [i32 5, i32 6, i32 7]
@functions = private unnamed_addr constant [2 x ptr] [ptr @one, ptr @two]
@others = private unnamed_addr constant [1 x ptr] [ptr @three]

define internal i32 @one() { ret i32 1 }
define internal i32 @two() { ret i32 2 }
define internal i32 @three() { ret i32 3 }

define ptx_kernel void @choose(ptr %out, i64 %i) {
  %n = getelementptr i32, ptr @numbers, i64 %i
  %number = load i32, ptr %n
  %f = getelementptr ptr, ptr @functions, i64 %i
  %function = load ptr, ptr %f
  %r = call i32 %function()
  %sum = add i32 %r, %number
  store i32 %sum, ptr %out
  ret void
}
