; Read-modify-writes keep their ordering and the system's scope in PTX, or are refused; workgroup memory needs no scope.
; RUN: offloadc %s --offload-arch=sm_80 --emit=codegen=-
; RUN[older]: offloadc %s --offload-arch=sm_60 --emit=codegen=-
; CHECK: fence.sc.sys
; CHECK: atom.sys.global.add.u32
; CHECK: fence.acq_rel.sys
; CHECK: atom.sys.global.exch.b32
; CHECK: fence.acq_rel.sys
; CHECK: atom.sys.global.max.u32
; CHECK: atom.{{.*}}shared.add
; CHECK[older]: membar.sys
; CHECK[older]: atom.sys.global.add.u32
; CHECK[older]: membar.sys
; FAIL[none]: offloadc %s --offload-arch=sm_50 --emit=codegen=-
; RUN[older-behind]: offloadc %s --offload-arch=sm_60 --emit=codegen=- | grep -oE "membar|exch" | grep -A1 exch
; RUN[older-without]: offloadc %s --offload-arch=sm_60 --without-workaround=strengthen_atomics --emit=codegen=- | \
;   grep -oE "membar|exch" | grep -A1 exch
; RUN@22[without]: offloadc %s --offload-arch=sm_80 --without-workaround=strengthen_atomics --emit=codegen=- | grep -oE "(fence|atom)[.a-z]*.*"

target triple = "x86_64-unknown-linux-gnu"

@tile = internal global i32 undef, section ".offload.shared"

define ptx_kernel void @k(ptr %p, ptr %out, i32 %n) {
  %a = atomicrmw add ptr %p, i32 %n seq_cst
  store i32 %a, ptr %out
  %b = atomicrmw xchg ptr %p, i32 5 acquire
  %out1 = getelementptr i32, ptr %out, i64 1
  store i32 %b, ptr %out1
  %c = atomicrmw umax ptr %p, i32 %n monotonic
  %out2 = getelementptr i32, ptr %out, i64 2
  store i32 %c, ptr %out2
  %d = atomicrmw add ptr @tile, i32 %n monotonic
  %out3 = getelementptr i32, ptr %out, i64 3
  store i32 %d, ptr %out3
  ret void
}
;;; stderr[none]
; error[OFC0035]: kernel `k` changes memory atomically for the whole system, but the atomics of this arch reach one device only
;   = note: for sm_50
;   = help: if the scope of the device is enough, use `__offload_atomic_add_u32(at, value, ordering, 1)` or another atomic of the contract; otherwise use `sm_60` or a later arch
;;; stdout[without]
; atom.global.add.u32 	%r2, [%rd1], %r1;
; atom.global.exch.b32 	%r3, [%rd1], 5;
; atom.global.max.u32 	%r4, [%rd1], %r1;
; atom.shared.add.u32 	%r5, [tile], %r1;
;;; stdout[older-behind]
; exch
; membar
;;; stdout[older-without]
; exch
