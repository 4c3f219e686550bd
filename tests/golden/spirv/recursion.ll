; Recursion becomes a loop over frames in an array of the thread: nothing calls itself, and a frame that does not fit is
; a panic. A last call takes its caller's frame: `even` and `odd` need one for any depth.
; RUN[valid]: offloadc -w %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv
; RUN[frames]: offloadc -w %s --offload-arch=spirv64 --device-stack=2000 --emit=flavor=-
; CHECK[frames]: define spir_kernel void @fibonacci(
; CHECK[frames]: alloca [2000 x i8], align 16
; CHECK[frames]: turn.i:
; CHECK[frames]: icmp ule i32 %next.i.i, 1984
; CHECK[frames]: full.i.i:
; CHECK[frames]: call spir_func void @offload_record(
; CHECK[frames]: define spir_kernel void @parity(
; CHECK[frames]: icmp ule i32 %frame.i.i, 1988
; FAIL=70@22[shared]: offloadc -w %s --offload-arch=spirv64 --without-workaround=separate_process --emit=codegen=- 2> said; rc=$?; grep -oE "error: internal error" said; exit $rc

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

define internal { i1, float } @even(i32 %n, float %x) noinline {
  %done = icmp eq i32 %n, 0
  br i1 %done, label %end, label %more
more:
  %a = sub i32 %n, 1
  %y = fmul float %x, 0.5
  %r = call { i1, float } @odd(i32 %a, float %y)
  ret { i1, float } %r
end:
  %s = insertvalue { i1, float } { i1 true, float poison }, float %x, 1
  ret { i1, float } %s
}

define internal { i1, float } @odd(i32 %n, float %x) noinline {
  %done = icmp eq i32 %n, 0
  br i1 %done, label %end, label %more
more:
  %a = sub i32 %n, 1
  %y = fadd float %x, 1.0
  %r = call { i1, float } @even(i32 %a, float %y)
  ret { i1, float } %r
end:
  %s = insertvalue { i1, float } { i1 false, float poison }, float %x, 1
  ret { i1, float } %s
}

define ptx_kernel void @fibonacci(ptr %p) {
  %n = load i32, ptr %p
  %v = call i32 @fib(i32 %n)
  store i32 %v, ptr %p
  ret void
}

define ptx_kernel void @parity(ptr %p) {
  %n = load i32, ptr %p
  %v = call { i1, float } @even(i32 %n, float 3.0)
  %f = extractvalue { i1, float } %v, 1
  store float %f, ptr %p
  ret void
}
;;; stdout[shared]
; error: internal error
