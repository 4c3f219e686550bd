; A method table that a kernel names brings every method of it.
; RUN: offloadc %s --offload-arch=cpu --emit=split=-
; CHECK: @table = private unnamed_addr constant <{ [24 x i8], ptr, ptr }>
; CHECK: define internal i32 @area
; CHECK: define internal i32 @edge
; CHECK-NOT: @other

target triple = "x86_64-unknown-linux-gnu"

@table = private unnamed_addr constant <{ [24 x i8], ptr, ptr }> <{ [24 x i8] zeroinitializer, ptr @area, ptr @edge }>
@unused = private unnamed_addr constant <{ ptr }> <{ ptr @other }>

define internal i32 @area(ptr %self) {
  ret i32 1
}

define internal i32 @edge(ptr %self) {
  ret i32 2
}

define internal i32 @other(ptr %self) {
  ret i32 3
}

define ptx_kernel void @measure(ptr %out, i64 %which) {
  %slot = getelementptr ptr, ptr getelementptr (i8, ptr @table, i64 24), i64 %which
  %method = load ptr, ptr %slot
  %r = call i32 %method(ptr null)
  store i32 %r, ptr %out
  ret void
}
