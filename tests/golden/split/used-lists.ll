; The lists of symbols that a linker must keep stay on the host and bring nothing to the device.
; RUN[device]: offloadc %s --offload-arch=cpu --emit=split=-
; CHECK[device]: define void @fill
; RUN[host]: offloadc %s --offload-arch=cpu -o out.o && llvm-nm --defined-only --format=just-symbols out.o | grep -v offload
; CHECK-NOT[device]: kept
; CHECK-NOT[device]: start

target triple = "x86_64-unknown-linux-gnu"

@kept = internal global i32 7
@llvm.used = appending global [2 x ptr] [ptr @kept, ptr @fill], section "llvm.metadata"
@llvm.compiler.used = appending global [1 x ptr] [ptr @start], section "llvm.metadata"
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @start, ptr null }]

define internal void @start() {
  ret void
}

define ptx_kernel void @fill(ptr %out) {
  store i32 1, ptr %out
  ret void
}
;;; stdout[host]
; fill
; kept
; start
