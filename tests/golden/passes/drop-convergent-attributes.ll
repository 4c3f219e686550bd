; On the CPU threads run one after another, so nothing is convergent.
; RUN: offloadc %s --run-pass=drop_convergent_attributes --offload-arch=cpu | grep -v "^target"

define void @f() convergent {
  call void @f() convergent
  ret void
}
;;; stdout
;
; define void @f() {
;   call void @f()
;   ret void
; }
