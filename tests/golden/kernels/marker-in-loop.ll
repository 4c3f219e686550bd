; A parameter that a recursive function passes on, and a phi around a loop, keep their first function as value.
; RUN: offloadc %s --offload-arch=cpu --emit=kernels=-

target triple = "x86_64-unknown-linux-gnu"

declare ptr @__offload_kernel(ptr)

define internal void @k() { ret void }

define internal void @again(ptr %function, i32 %n) {
entry:
  br label %loop
loop:
  %f = phi ptr [ %function, %entry ], [ %f, %loop ]
  %h = call ptr @__offload_kernel(ptr %f)
  %done = icmp eq i32 %n, 0
  br i1 %done, label %end, label %loop
end:
  call void @again(ptr %function, i32 0)
  ret void
}

define void @main() {
  call void @again(ptr @k, i32 3)
  ret void
}
;;; stdout
; k (k): plain, found by a marker call
