; A call with another type than its function has no meaning. It becomes one of the type of the panic or the allocator.
; RUN: offloadc %s --kernel=allocates --kernel=resumes --kernel=panics --kernel=checks --offload-arch=cpu,sm_80,gfx90a,spirv64 \
;   -o out.o && offloadc inspect out.o | grep heap

target triple = "x86_64-unknown-linux-gnu"
declare ptr @__rust_alloc(i64, i64)
declare void @_Unwind_Resume(ptr)
define void @allocates(ptr %p) {
  %v = call ptr @__rust_alloc(i64 4)
  store ptr %v, ptr %p
  ret void
}
define void @resumes(ptr %p) {
  call void @_Unwind_Resume()
  ret void
}
define void @panics(ptr %p) {
  call void @_ZN4core9panicking5panic17h0123456789abcdefE(i64 1)
  unreachable
}
define void @checks(ptr %p) {
  call void @_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE()
  unreachable
}
declare void @_ZN4core9panicking5panic17h0123456789abcdefE(ptr, i64, ptr) noreturn
declare void @_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE(i64, i64, ptr) noreturn
;;; stdout
;   allocates: 8 argument bytes, 0 shared bytes; has cpu code; needs a heap
