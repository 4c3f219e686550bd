; Lines are counted in code of archs, by the runtime of the crate, and without the checker.
; FAIL=2[generic]: offloadc %s --profile-lines --offload-arch=cpu,generic
; FAIL=2[runtime]: offloadc %s --profile-lines --offload-arch=cpu --runtime=omptarget
; FAIL=2[checker]: offloadc %s --profile-lines --offload-arch=cpu --sanitize

define void @k() {
  ret void
}
;;; stderr[generic]
; error: `--profile-lines` counts code of archs, and `generic` is none
;   = help: name the archs on which the program runs
;;; stderr[runtime]
; error: `--profile-lines` needs the runtime that writes the counts
;   = help: omit `--runtime`, or type `--runtime=offloadrt`
;;; stderr[checker]
; error: `--profile-lines` cannot be combined with `--sanitize`
