; A symbol that may be absent, or that only another object defines, has no device version.
; FAIL: offloadc %s --offload-arch=cpu,sm_80 -o %t/o

target triple = "x86_64-unknown-linux-gnu"

@setting = extern_weak global i32
@elsewhere = external thread_local global i32
declare extern_weak void @maybe()

define ptx_kernel void @k(ptr %out) {
  %there = icmp ne ptr @maybe, null
  br i1 %there, label %call, label %end
call:
  call void @maybe()
  br label %end
end:
  %a = load i32, ptr @setting
  %b = load i32, ptr @elsewhere
  %c = add i32 %a, %b
  store i32 %c, ptr %out
  ret void
}
;;; stderr
; error[OFC0008]: kernel `k` reaches `maybe`, which has no device code
;   = note: called through `k` → `maybe`
;   = note: for cpu, sm_80
;   = help: its body is not in the input: also give offloadc the bitcode of the crate that defines it
; error[OFC0034]: kernel `k` reaches static `setting`, which is not defined in the input
;   = note: reached through `k` → `setting`
;   = note: for cpu, sm_80
;   = help: also give offloadc the bitcode of the crate that defines it; a static of a `dylib` that can change belongs to the kernels of that library
; error[OFC0009]: kernel `k` reaches static `elsewhere`, which is thread-local
;   = note: reached through `k` → `elsewhere`
;   = note: for cpu, sm_80
;   = help: devices have no thread-local statics; pass the value as an argument
