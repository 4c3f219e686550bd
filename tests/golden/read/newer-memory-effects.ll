; LLVM 23 distinguishes target memory, which LLVM 22 counts as inaccessible: dropping its name widens no promise.
;
; A rustc of LLVM 23 writes `@plain` if no target memory is accessed; `@reads` reads it, by the access written first.
;
; RUN: offloadc %s --emit=read=- --offload-arch=cpu | grep -E '^(declare|attributes)'

target triple = "x86_64-unknown-linux-gnu"

declare void @plain() #0
declare void @reads() #1
declare void @writes() #2
declare void @none() #3

attributes #0 = { nounwind memory(read, argmem: readwrite, inaccessiblemem: none, target_mem: none) }
attributes #1 = { memory(read, inaccessiblemem: none) "memory(target_mem: none)" }
attributes #2 = { memory(inaccessiblemem: read, errnomem: write, target_mem0: none, target_mem1: write) }
attributes #3 = { memory(argmem: readwrite, target_mem: none) }
;;; stdout
; declare void @plain() #0
; declare void @reads() #1
; declare void @writes() #2
; declare void @none() #3
; attributes #0 = { nounwind memory(read, argmem: readwrite, inaccessiblemem: none) }
; attributes #1 = { memory(read) "memory(target_mem: none)" }
; attributes #2 = { memory(inaccessiblemem: readwrite, errnomem: write) }
; attributes #3 = { memory(argmem: readwrite) }
