; A recursive function without barriers is device code like any other, without a personality.
; RUN: offloadc %s --offload-arch=cpu,sm_80,gfx90a -o o.o && offloadc %s --offload-arch=cpu --emit=legalize=-
; CHECK: define internal i32 @factorial
; CHECK: call i32 @factorial
; CHECK-NOT: personality

target triple = "x86_64-unknown-linux-gnu"

declare i32 @rust_eh_personality(...)

define internal fastcc i32 @factorial(i32 %n) noinline personality ptr @rust_eh_personality {
  %last = icmp eq i32 %n, 0
  br i1 %last, label %one, label %more
one:
  ret i32 1
more:
  %less = sub i32 %n, 1
  %rest = call fastcc i32 @factorial(i32 %less)
  %product = mul i32 %rest, %n
  ret i32 %product
}

define ptx_kernel void @k(ptr %out, i32 %n) {
  %v = call fastcc i32 @factorial(i32 %n)
  store i32 %v, ptr %out
  ret void
}
