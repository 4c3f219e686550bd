; Functions that no kernel reaches are removed.
; RUN: offloadc %s --run-pass=drop_unused --offload-arch=cpu --kernel=k | grep -v "^target"

define internal void @unused() {
  ret void
}

define void @k(ptr %out) {
  ret void
}
;;; stdout
;
; define void @k(ptr %out) {
;   ret void
; }
