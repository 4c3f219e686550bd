; Locals become registers and calls are inlined, and each access to other memory remains, even if it is not needed.
; RUN: offloadc %s --run-pass=expose_accesses --sanitize --offload-arch=cpu --kernel=k | grep -v "^target"

define internal i32 @twice(ptr %p) {
  %a = load i32, ptr %p
  %b = load i32, ptr %p
  %sum = add i32 %a, %b
  ret i32 %sum
}

define void @k(ptr %p) {
  %local = alloca i32
  %sum = call i32 @twice(ptr %p)
  store i32 %sum, ptr %local
  %again = load i32, ptr %local
  store i32 0, ptr %p
  store i32 %again, ptr %p
  ret void
}
