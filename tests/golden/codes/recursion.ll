; A function that calls itself has a stack of a fixed size on GPUs, with a note about the size; on the host's processor
; it has the program's own.
; RUN[noted]: offloadc %s --offload-arch=cpu,sm_80,gfx90a,spirv64 --device-stack=4096 -o out.o

target triple = "x86_64-unknown-linux-gnu"

define internal i32 @fib(i32 %n) noinline {
  %small = icmp ult i32 %n, 2
  br i1 %small, label %end, label %more
more:
  %a = sub i32 %n, 1
  %b = call i32 @fib(i32 %a)
  %c = sub i32 %n, 2
  %d = call i32 @fib(i32 %c)
  %e = add i32 %b, %d
  ret i32 %e
end:
  ret i32 %n
}

define ptx_kernel void @recursive(ptr %p) {
  %n = load i32, ptr %p
  %v = call i32 @fib(i32 %n)
  store i32 %v, ptr %p
  ret void
}
;;; stderr[noted]
; note[OFC0036]: kernel `recursive` calls `fib`, which is recursive
;   = note: for sm_80, gfx90a, spirv64
;   = help: each thread has a stack of 4096 bytes; `--device-stack` makes it larger
