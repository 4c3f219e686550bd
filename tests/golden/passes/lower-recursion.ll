; A function that calls itself becomes steps that a loop runs, with frames in an array of the thread.
; RUN: offloadc %s --run-pass=lower_recursion --offload-arch=gfx90a --kernel=k | grep -v "^target"
; CHECK: define{{.*}}@sum
; CHECK-NOT: call i32 @sum(i32 %less)
; CHECK: define void @k(
; CHECK: alloca

define internal i32 @sum(i32 %n) {
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %end, label %more
more:
  %less = sub i32 %n, 1
  %rest = call i32 @sum(i32 %less)
  %r = add i32 %rest, %n
  ret i32 %r
end:
  ret i32 0
}

define void @k(ptr %out, i32 %n) {
  %r = call i32 @sum(i32 %n)
  store i32 %r, ptr %out
  ret void
}
