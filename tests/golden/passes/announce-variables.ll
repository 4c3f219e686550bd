; A constructor tells the checker which variables an instrumented module has.
; RUN: offloadc %s --run-pass=announce_variables --sanitize --offload-arch=cpu --kernel=k | grep -v "^target"

@counter = internal global [2 x i32] zeroinitializer
@first = internal constant i8 1

define void @k(ptr %p) {
  store ptr @counter, ptr %p
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"offload.sanitize", i32 1}
