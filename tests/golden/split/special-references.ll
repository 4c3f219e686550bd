; A function named by `dso_local_equivalent`, or `no_cfi` is found; bytes around code and its collector stay on the host.
; RUN: offloadc %s --offload-arch=cpu --emit=legalize=-
; CHECK: @table = internal constant [2 x ptr]
; CHECK: define internal i32 @one
; CHECK: define internal i32 @two
; CHECK-NOT: prefix
; CHECK-NOT: gc "shadow-stack"

target triple = "x86_64-unknown-linux-gnu"

@table = internal constant [2 x ptr] [ptr dso_local_equivalent @one, ptr no_cfi @two]
@before = internal constant i32 9

define hidden i32 @one() { ret i32 1 }
define hidden i32 @two() { ret i32 2 }

define internal void @odd(ptr %out) gc "shadow-stack" prefix ptr @before prologue i8 144 {
  store i32 3, ptr %out
  ret void
}

define ptx_kernel void @choose(ptr %out, i64 %i) {
  %slot = getelementptr ptr, ptr @table, i64 %i
  %function = load ptr, ptr %slot
  %r = call i32 %function()
  call void @odd(ptr %out)
  ret void
}
