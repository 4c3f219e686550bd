; Every fault of every kernel is reported in one run, each with its chain of calls.
; FAIL: offloadc %s --offload-arch=cpu,gfx90a --emit=validate=-

target triple = "x86_64-unknown-linux-gnu"

@counter = internal thread_local global i32 0

declare i64 @write(i32, ptr, i64)
declare i64 @llvm.x86.rdtsc()

define internal void @log(i32 %value) {
  %written = call i64 @write(i32 1, ptr null, i64 0)
  ret void
}

define ptx_kernel void @prints(ptr %out) {
  call void @log(i32 3)
  ret void
}

define ptx_kernel void @counts(ptr %out) {
  %v = load i32, ptr @counter
  store i32 %v, ptr %out
  ret void
}

define ptx_kernel void @assembles(ptr %out) {
  call void asm sideeffect "cpuid", "~{eax},~{ebx},~{ecx},~{edx}"()
  ret void
}

define ptx_kernel void @measures(ptr %out) {
  %v = call i64 @llvm.x86.rdtsc()
  store i64 %v, ptr %out
  ret void
}
;;; stderr
; error[OFC0010]: kernel `assembles` reaches inline assembly of the host
;   = note: the instructions are `cpuid`
;   = note: for cpu, gfx90a
;   = help: keep assembly out of kernels, or behind `if !is_device()`
; error[OFC0009]: kernel `counts` reaches static `counter`, which is thread-local
;   = note: reached through `counts` → `counter`
;   = note: for cpu, gfx90a
;   = help: devices have no thread-local statics; pass the value as an argument
; error[OFC0011]: kernel `measures` reaches `llvm.x86.rdtsc`, which is an instruction of the host's CPU
;   = note: called through `measures` → `llvm.x86.rdtsc`
;   = note: for cpu, gfx90a
;   = help: write the kernel without `core::arch`; the compiler vectorises for each device
; error[OFC0007]: kernel `prints` reaches `write`, which needs an operating system
;   = note: called through `prints` → `log` → `write`
;   = note: for cpu, gfx90a
;   = help: let the host call it, with `offload::host_call!`, or move the call out of the kernel
