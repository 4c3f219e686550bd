; A switch over more than one word is branches; a narrower one stays.
; RUN: offloadc %s --run-pass=lower_wide_switches --offload-arch=spirv64 | grep -v "^target"
; CHECK: define i32 @f(
; CHECK-NOT: switch
; CHECK: icmp eq i128 %x, 5

define i32 @f(i128 %x) {
  switch i128 %x, label %other [ i128 5, label %five ]
five:
  ret i32 1
other:
  ret i32 2
}
