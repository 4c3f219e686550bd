; A function that is called by a declaration of another type would read arguments that no caller has passed. Without
; optimisation, no part of LLVM changes the call.
; FAIL: offloadc %s --offload-arch=cpu,sm_80 -O0 -o %t/o

target triple = "x86_64-unknown-linux-gnu"

define i32 @sum(i32 %a, ptr %more) {
  %b = load i32, ptr %more
  %sum = add i32 %a, %b
  ret i32 %sum
}

define i32 @fits(i32 %a) {
  ret i32 %a
}

define i32 @unreached(ptr %out) {
  %v = call i32 @fits()
  ret i32 %v
}

define ptx_kernel void @k(ptr %out) {
  %v = call i32 @sum(i32 1)
  %w = call i32 @fits(i32 %v)
  store i32 %w, ptr %out
  ret void
}
;;; stderr
; error[OFC0027]: kernel `k` calls `sum` as `i32 (i32)`, but its type is `i32 (i32, ptr)`
;   = note: for cpu, sm_80
;   = help: declare the function with the type of its definition
