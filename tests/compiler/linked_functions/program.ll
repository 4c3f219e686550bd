; The kernels of program.c. An unknown function returns -1.

target triple = "x86_64-unknown-linux-gnu"

declare i64 @__offload_function(ptr)
declare ptr @__offload_function_pointer(i64)

define internal i32 @own(i32 %x) {
  %y = mul i32 %x, 3
  ret i32 %y
}

define i64 @own_number() {
  %number = call i64 @__offload_function(ptr @own)
  ret i64 %number
}

define internal i32 @apply(i64 %number, i32 %x) {
  %f = call ptr @__offload_function_pointer(i64 %number)
  %is_unknown = icmp eq ptr %f, null
  br i1 %is_unknown, label %unknown, label %known
unknown:
  ret i32 -1
known:
  %y = call i32 %f(i32 %x)
  ret i32 %y
}

define ptx_kernel void @k(ptr %to, i64 %number) {
  %x = load i32, ptr %to
  %y = call i32 @apply(i64 %number, i32 %x)
  store i32 %y, ptr %to
  ret void
}

define ptx_kernel void @both(ptr %to, ptr byval([24 x i8]) align 8 %functions) {
  %at_first = getelementptr i8, ptr %functions, i64 8
  %at_second = getelementptr i8, ptr %functions, i64 16
  %first = load i64, ptr %at_first
  %second = load i64, ptr %at_second
  %x = load i32, ptr %to
  %y = call i32 @apply(i64 %first, i32 %x)
  %z = call i32 @apply(i64 %second, i32 %y)
  store i32 %z, ptr %to
  ret void
}

define ptx_kernel void @without_functions(ptr %to) {
  store i32 5, ptr %to
  ret void
}
