; The host module loses nothing: functions that only kernels name, unused and exported ones, and module assembly.
; RUN: offloadc %s --offload-arch=cpu --runtime=none -o o.o && llvm-nm --format=sysv o.o | \
;   awk -F'|' '/OBJ|FUNC|written/ {gsub(/ /, ""); print $1, $4, $7}' | grep -v __offload | sort

target triple = "x86_64-unknown-linux-gnu"

module asm ".globl written_by_hand"
module asm "written_by_hand: ret"

@table = constant [1 x ptr] [ptr @callee]
@mutable = global i32 7
@local = thread_local global i32 3
@tile = global [4 x i32] zeroinitializer, section ".offload.shared"
@limits = global [2 x i32] [i32 1, i32 2], section ".offload.constant"
@other = weak alias void (ptr), ptr @fill

define void @callee() { ret void }

define ptx_kernel void @fill(ptr %out) {
  call void @callee()
  store i32 1, ptr @tile
  ret void
}

define i32 @host() personality ptr null {
  ret i32 7
}
;;; stdout
; callee FUNC .text.callee
; fill FUNC .text.fill
; host FUNC .text.host
; limits OBJECT .data.limits
; mutable OBJECT .data.mutable
; other FUNC .text.fill
; table OBJECT .data.rel.ro.table
; tile OBJECT .bss.tile
; written_by_hand NOTYPE .text
