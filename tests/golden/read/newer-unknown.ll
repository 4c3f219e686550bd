; IR that no rule can translate for our LLVM is refused with its name, never dropped.
;
; FAIL: offloadc %s --emit=read=- --offload-arch=cpu

target triple = "x86_64-unknown-linux-gnu"

declare void @f() memory(read, heapmem: none, target_mem: none)
;;; stderr
; error[OFC0021]: `%s`, line 7: LLVM 22 cannot express `memory(read, heapmem: none, target_mem: none)` with `heapmem: none`
;   = help: compile with a rustc whose LLVM is not newer, or use the bitcode, which names the LLVM that wrote it
