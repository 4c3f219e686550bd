; `inspect` shows a kernel's resources: from a code object's notes, from the assembler's output, or by asking it again.
; RUN: offloadc %s --offload-arch=gfx90a,sm_80-virtual,sm_90-real --ptxas "$(command -v ptxas)" -o x.o; \
;   offloadc inspect x.o | awk '$1 == "k" && NF == 8 { print $2, $3, ($4 > 0), $6, $7, ($8 > 0) }'; \
;   offloadc inspect x.o --ptxas "$(command -v ptxas)" | awk '$1 == "k" && NF == 8 { print $2, $3 }'; \
;   offloadc inspect x.o --json | grep -c '"shared": 256'
; REQUIRES: ptxas

target triple = "x86_64-unknown-linux-gnu"

@tile = internal global [64 x i32] zeroinitializer, section ".offload.shared"

declare i32 @__offload_thread_id_x()
declare void @__offload_sync_threads()

define ptx_kernel void @k(ptr %out, i32 %n) {
  %own = alloca [32 x i32]
  %i = call i32 @__offload_thread_id_x()
  %slot = getelementptr [64 x i32], ptr @tile, i32 0, i32 %i
  store i32 %n, ptr %slot
  call void @__offload_sync_threads()
  %there = getelementptr [32 x i32], ptr %own, i32 0, i32 %n
  store volatile i32 %i, ptr %there
  %here = getelementptr [32 x i32], ptr %own, i32 0, i32 %i
  %a = load volatile i32, ptr %here
  %next = getelementptr [64 x i32], ptr @tile, i32 0, i32 %a
  %b = load i32, ptr %next
  store i32 %b, ptr %out
  ret void
}
;;; stdout
; gfx90a object 1 0 256 1
; sm_90 cubin 1 0 256 1
; gfx90a object
; sm_80 ptx
; sm_90 cubin
; 2
