; A function handed over as a value is a number on either side, and kernels that look for one get a table of all of them;
; one that is marked twice stands there once. Another object's numbers are others.
; RUN[kernels]: offloadc %s --offload-arch=cpu --emit=kernels=-
; RUN[split]: offloadc %s --offload-arch=cpu --emit=split=- | sed -n '/define internal ptr @offload_function_pointer/,/^}/p; /^@offload_functions/p; /define internal i64/,/^}/p; /^define float/p' | sed -E 's/-?[0-9]{15,}/NUMBER/'
; RUN[another-object]: sed 's/half/third/g' %s > other.ll && for f in %s other.ll; do \
;   offloadc "$f" --offload-arch=cpu --emit=split=- | grep -o 'sub i64.*'; done | sort -u | wc -l
; RUN[host]: offloadc %s --offload-arch=cpu --runtime=none -O0 -o o.o && cc o.o -o x && ./x
; RUN[ptx]: offloadc %s --offload-arch=sm_80 --emit=codegen=- | grep -A1 'offload_functions\['
; RUN[amd]: offloadc %s --offload-arch=gfx90a --emit=codegen=- | grep -A2 'offload_functions:'
; RUN[spirv]: offloadc %s --offload-arch=spirv64 --emit=image=k.spv && spirv-val k.spv && spirv-dis k.spv | grep -c OpSwitch

target triple = "x86_64-unknown-linux-gnu"

@format = private constant [9 x i8] c"%x %d %d\00"

declare i64 @__offload_function(ptr)
declare ptr @__offload_function_pointer(i64)
declare i32 @printf(ptr, ...)

@same = alias float (float), ptr @twice

define internal float @half(float %x) noinline {
  %r = fmul float %x, 5.0e-1
  ret float %r
}

define float @twice(float %x) noinline {
  %r = fmul float %x, 2.0
  ret float %r
}

define i32 @other(i32 %x) noinline {
  ret i32 %x
}

define i32 @unmarked(i32 %x) noinline {
  ret i32 %x
}

define ptx_kernel void @k(ptr %out, i64 %number, float %x) {
  %f = call ptr @__offload_function_pointer(i64 %number)
  %none = icmp eq ptr %f, null
  br i1 %none, label %own, label %given
own:
  %n = call i64 @__offload_function(ptr @half)
  %g = call ptr @__offload_function_pointer(i64 %n)
  br label %given
given:
  %h = phi ptr [ %f, %0 ], [ %g, %own ]
  %r = call float %h(float %x)
  store float %r, ptr %out
  ret void
}

define i32 @main() {
  %a = call i64 @__offload_function(ptr @twice)
  %b = call i64 @__offload_function(ptr @other)
  %c = call i64 @__offload_function(ptr @same)
  %d = call i64 @__offload_function(ptr @twice)
  %ab = sub i64 %b, %a
  %ad = sub i64 %d, %a
  %number = and i64 %a, 16777215
  %z = call i32 (ptr, ...) @printf(ptr @format, i64 %number, i64 %ab, i64 %ad)
  ret i32 0
}
;;; stdout[kernels]
; k (k): plain, found by its calling convention
;   0: pointer at 0, 8 bytes, aligned to 8
;   1: value at 8, 8 bytes, aligned to 8
;   2: value at 16, 4 bytes, aligned to 4
; function 1: half
; function 2: twice
; function 3: other
; function 4: same
;;; stdout[split]
; @offload_functions = internal constant [4 x ptr] [ptr @half, ptr @twice, ptr @other, ptr @same], align 8
; define float @twice(float %x) #0 {
; define internal i64 @__offload_value_of.0(ptr %0) #1 {
; entry:
;   ret i64 NUMBER
; }
; define internal ptr @offload_function_pointer(i64 %0) #1 {
; entry:
;   %place = sub i64 %0, NUMBER
;   %inside = icmp ult i64 %place, 4
;   br i1 %inside, label %found, label %not_found
;
; found:                                            ; preds = %entry
;   %1 = getelementptr inbounds ptr, ptr @offload_functions, i64 %place
;   %2 = load ptr, ptr %1, align 8
;   ret ptr %2
;
; not_found:                                        ; preds = %entry
;   ret ptr null
; }
;;; stdout[another-object]
; 2
;;; stdout[host]
; 2 1 0
;;; stdout[ptx]
; .global .align 8 .u64 offload_functions[4] = {1, 2, 3, 2};
;
;;; stdout[amd]
; offload_functions:
; 	.quad	1
; 	.quad	2
;;; stdout[spirv]
; 1
