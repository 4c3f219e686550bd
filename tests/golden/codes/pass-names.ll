; Names of passes are checked with the command line. An unknown pass, a pass that runs inside another pass, and a pass
; that needs the results of others cannot be run alone.
; FAIL=2[unknown]: offloadc %s --print-after=place_global
; FAIL=2[inside]: offloadc %s --print-before=specialize
; FAIL=2[alone]: offloadc %s --run-pass=resolve_panics
; FAIL=2[archs]: offloadc %s --run-pass=place_globals --offload-arch=sm_80,gfx90a
; FAIL=2[emit]: offloadc %s --run-pass=place_globals --emit=flavor=-
; FAIL=1[other]: offloadc %s --run-pass=keep_null --offload-arch=cpu

define void @f() {
  ret void
}
;;; stderr[unknown]
; error: unknown pass `place_global`
;   = help: the nearest is `place_globals`
;   = help: `src/passes/table.rs` lists all
;;; stderr[inside]
; error: the pass `specialize` runs inside the pass `infer_address_spaces`
;   = help: name `infer_address_spaces`
;;; stderr[alone]
; error: the pass `resolve_panics` cannot run alone: it needs the table that `lower_panics` has made
;;; stderr[archs]
; error: `--run-pass` needs one arch
;;; stderr[emit]
; error: `--run-pass` cannot be used with `--emit` or `--from`
;;; stderr[other]
; error: the pass `keep_null` does not run for `cpu` on this module
