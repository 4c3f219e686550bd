; Named metadata that only the back end of one target reads is dropped: it may name functions that no longer exist.
; RUN[dropped]: offloadc %s --emit=legalize=- --offload-arch=spirv64 | grep -c -e ExecutionMode -e annotations -e ident || true
; RUN[compiled]: offloadc %s --offload-arch=spirv64,sm_80,gfx90a,cpu -o out.o

target triple = "x86_64-unknown-linux-gnu"

define ptx_kernel void @k(ptr %p) {
  store i32 1, ptr %p
  ret void
}

define void @unused() {
  ret void
}

!spirv.ExecutionMode = !{!0}
!nvvm.annotations = !{!1}
!llvm.ident = !{!2}
!0 = !{ptr @unused, i32 31}
!1 = !{ptr @unused, !"maxntidx", i32 7}
!2 = !{!"clang"}
;;; stdout[dropped]
; 0
