; Every body touches each page of its frame in turn.
; RUN: offloadc %s --run-pass=probe_stacks --offload-arch=cpu | grep -v "^target"

declare void @g()

define void @f() {
  call void @g()
  ret void
}
;;; stdout
;
; declare void @g()
;
; define void @f() #0 {
;   call void @g()
;   ret void
; }
;
; attributes #0 = { "probe-stack"="inline-asm" }
