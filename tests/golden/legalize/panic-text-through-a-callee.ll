; A small function that passes on the text of a panic is inlined at each level, so the panic has the text's number.
; RUN: offloadc %s -O0 --offload-arch=cpu --emit=simplify=-
; CHECK: define void @take(
; CHECK: call void @__offload_panic(i32 1, i32 0,
; CHECK-NOT: call void @fail(

target triple = "x86_64-unknown-linux-gnu"

@text = private unnamed_addr constant [5 x i8] c"empty"

declare void @_RNvNtCsgEmfK2I1SDS_4core9panicking5panic(ptr, i64, ptr) noreturn

define internal void @fail(ptr %text, i64 %length) {
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking5panic(ptr %text, i64 %length, ptr null)
  unreachable
}

define ptx_kernel void @take(i64 %count, ptr %out) {
  %none = icmp eq i64 %count, 0
  br i1 %none, label %bad, label %good
good:
  store i32 7, ptr %out
  ret void
bad:
  call void @fail(ptr @text, i64 5)
  unreachable
}
