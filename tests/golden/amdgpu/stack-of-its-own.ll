; On AMD GPUs, the stack of each kernel has a known size, even if functions are recursive or called through pointers. An
; overflow of the stack is a panic.
; RUN[sizes]: offloadc %s --offload-arch=gfx90a --device-stack=4096 -o out.o -w && \
;   offloadc inspect out.o | grep -o 'stack bytes$\|gfx90a *object *[0-9][0-9]*  .*' && \
;   offloadc %s --offload-arch=gfx90a --device-stack=4096 -w --emit=codegen=- | grep 'uses_dynamic_stack\|private_segment_fixed'
; CHECK[sizes]: stack bytes
; CHECK[sizes]: gfx90a object {{.*}} 1028
; CHECK[sizes]: gfx90a object {{.*}} 41
; CHECK[sizes]: .amdhsa_private_segment_fixed_size 41
; CHECK[sizes]: .amdhsa_uses_dynamic_stack 0
; CHECK[sizes]: .amdhsa_private_segment_fixed_size 1028
; CHECK[sizes]: .amdhsa_uses_dynamic_stack 0
; CHECK[sizes]: .private_segment_fixed_size: 41
; CHECK[sizes]: .uses_dynamic_stack: false
; CHECK[sizes]: .private_segment_fixed_size: 1028
; CHECK[sizes]: .uses_dynamic_stack: false
; RUN[panic]: offloadc %s --offload-arch=gfx90a -w --emit=flavor=-
; CHECK[panic]: define internal {{.*}}@fib(i32 %n, ptr {{.*}}, i32
; CHECK[panic]: call {{.*}}@offload_stack_full
; CHECK[panic]: define {{.*}}amdgpu_kernel void @recursive(
; CHECK[panic]: %stack = alloca [12288 x i8], align 16, addrspace(5)

target triple = "x86_64-unknown-linux-gnu"

@table = internal constant [2 x ptr] [ptr @fib, ptr @twice]

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

define internal i32 @twice(i32 %n) noinline {
  %m = add i32 %n, %n
  %at = getelementptr [2 x ptr], ptr @table, i32 0, i32 0
  %f = load volatile ptr, ptr %at
  %r = call i32 %f(i32 %m)
  ret i32 %r
}

define ptx_kernel void @recursive(ptr %p, i64 %i) {
  %n = load i32, ptr %p
  %at = getelementptr [2 x ptr], ptr @table, i64 0, i64 %i
  %f = load ptr, ptr %at
  %v = call i32 %f(i32 %n)
  store i32 %v, ptr %p
  ret void
}

define ptx_kernel void @flat(ptr %p) {
  %array = alloca [256 x i32]
  %n = load i32, ptr %p
  %at = getelementptr i32, ptr %array, i32 %n
  store volatile i32 1, ptr %at
  ret void
}
