; Code for an aarch64 host: a hint in a spin loop is removed, a barrier of memory is a fence, and the system answers
; that the processor has no optional features. Other instructions are refused, unless the answer guards them.
; CHECK: define void @k(
; CHECK-NOT: @llvm.aarch64
; CHECK: fence seq_cst
; CHECK-NOT: getauxval
; CHECK: store i64 0,
; RUN: offloadc %s --offload-arch=cpu,sm_80 --kernel=k --emit=legalize=-
; FAIL[refused]: offloadc %s --offload-arch=cpu,sm_80 --kernel=crc -o out.o

target triple = "aarch64-unknown-linux-gnu"

declare void @llvm.aarch64.isb(i32)
declare void @llvm.aarch64.hint(i32)
declare void @llvm.aarch64.dmb(i32)
declare i32 @llvm.aarch64.crc32b(i32, i32)
declare i64 @getauxval(i64)

define void @k(ptr %p) {
  call void @llvm.aarch64.isb(i32 15)
  call void @llvm.aarch64.hint(i32 1)
  call void @llvm.aarch64.dmb(i32 11)
  %features = call i64 @getauxval(i64 16)
  store i64 %features, ptr %p
  %bits = and i64 %features, 128
  %has = icmp ne i64 %bits, 0
  br i1 %has, label %fast, label %slow

fast:
  call void @with_crc(ptr %p)
  br label %slow

slow:
  ret void
}

define internal void @with_crc(ptr %p) "target-features"="+v8a,+outline-atomics,+crc" {
  %a = load i32, ptr %p
  %b = call i32 @llvm.aarch64.crc32b(i32 %a, i32 7)
  store i32 %b, ptr %p
  ret void
}

define void @crc(ptr %p) "target-features"="+v8a,+outline-atomics,+crc" {
  %a = load i32, ptr %p
  %b = call i32 @llvm.aarch64.crc32b(i32 %a, i32 7)
  store i32 %b, ptr %p
  ret void
}
;;; stderr[refused]
; error[OFC0011]: kernel `crc` reaches `llvm.aarch64.crc32b`, which is an instruction of the host's CPU
;   = note: called through `crc` → `llvm.aarch64.crc32b`
;   = note: for cpu, sm_80
;   = help: write the kernel without `core::arch`; the compiler vectorises for each device
