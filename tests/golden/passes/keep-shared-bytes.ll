; The static shared memory of each kernel is in a section of the object.
; RUN: offloadc %s --run-pass=keep_shared_bytes --offload-arch=cpu --kernel=k | grep -v "^target"

@tile = internal global [64 x float] zeroinitializer, section ".offload.shared"

define void @k(ptr %out) {
  %x = load float, ptr @tile
  store float %x, ptr %out
  ret void
}
;;; stdout
;
; @tile = internal global [64 x float] zeroinitializer, section ".offload.shared"
; @offload.shared_bytes = private constant [4 x i8] c"\00\01\00\00", section ".offload.cpu.shared_bytes", align 4
; @llvm.compiler.used = appending global [1 x ptr] [ptr @offload.shared_bytes], section "llvm.metadata"
;
; define void @k(ptr %out) {
;   %x = load float, ptr @tile, align 4
;   store float %x, ptr %out, align 4
;   ret void
; }
