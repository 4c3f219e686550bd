; A thread of an NVIDIA GPU has 512 KiB of local memory, in which the stack of recursive functions is an array. A driver
; fails to launch a kernel that needs more. Kernels that do not recurse have no such stack.
; RUN[fits]: offloadc -w %s --offload-arch=sm_80 --device-stack=520192 --emit=image=k.ptx && ptxas -arch sm_80 k.ptx -o k.cubin
; RUN[others]: offloadc -w %s --offload-arch=cpu,gfx90a,spirv64 --device-stack=65536 -o k.o
; REQUIRES: ptxas
; FAIL[more]: offloadc -w %s --offload-arch=cpu,sm_80 --device-stack=524288 -o k.o

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

define ptx_kernel void @plain(ptr %p) {
  store i32 1, ptr %p
  ret void
}
;;; stderr[more]
; error[OFC0026]: kernel `recursive` recurses with a stack of 524288 bytes, and a thread has 524288 bytes for its stack and locals
;   = note: for sm_80
;   = help: make the stack smaller with `--device-stack`
