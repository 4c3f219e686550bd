; A kernel that calls a pointer from memory takes the launch state if another kernel names a function that panics. A
; function of another type is none that it may call. Without code for the CPU, nothing else asks for the state.
; RUN: offloadc %s --offload-arch=sm_80 --emit=validate=- | grep -E '^define.*(calls|stores|other)|^attributes'

target triple = "x86_64-unknown-linux-gnu"

declare i32 @rust_eh_personality(...)
declare void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64, i64, ptr) noreturn

@file = private constant [4 x i8] c"a.rs"
@place = private constant { ptr, i64, i32, i32 } { ptr @file, i64 4, i32 1, i32 1 }

define internal i32 @fails(i32 %x) noinline personality ptr @rust_eh_personality {
  %bad = icmp eq i32 %x, 0
  br i1 %bad, label %panic, label %end
panic:
  call void @_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check(i64 1, i64 0, ptr @place)
  unreachable
end:
  ret i32 %x
}

define ptx_kernel void @stores(ptr %table) {
  store ptr @fails, ptr %table
  ret void
}

define ptx_kernel void @calls(ptr %table, ptr %out) {
  %f = load ptr, ptr %table
  %r = call i32 %f(i32 0)
  store i32 %r, ptr %out
  ret void
}

define ptx_kernel void @other(ptr %table, ptr %out) {
  %f = load ptr, ptr %table
  %r = call i64 %f(i64 0)
  store i64 %r, ptr %out
  ret void
}
;;; stdout
; define void @stores(ptr writeonly captures(none) initializes((0, 8)) %table) local_unnamed_addr #1 {
; define void @calls(ptr readonly captures(none) %table, ptr writeonly captures(none) initializes((0, 4)) %out) local_unnamed_addr #2 {
; define void @other(ptr readonly captures(none) %table, ptr writeonly captures(none) initializes((0, 8)) %out) local_unnamed_addr {
; attributes #0 = { noinline nounwind }
; attributes #1 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: write) "offload-launch-state" }
; attributes #2 = { "offload-launch-state" }
; attributes #3 = { nounwind willreturn memory(none) }
; attributes #4 = { cold noreturn nounwind }
; attributes #5 = { cold noinline nounwind }
