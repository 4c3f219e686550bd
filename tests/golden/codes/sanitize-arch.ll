; The checker runs on the CPU only, with the runtime that contains it.
; FAIL=2[gpu]: offloadc %s --sanitize --offload-arch=cpu,sm_80
; FAIL=2[generic]: offloadc %s --sanitize --offload-arch=cpu,generic
; FAIL=2[runtime]: offloadc %s --sanitize --offload-arch=cpu --runtime=omptarget

define void @k() {
  ret void
}
;;; stderr[gpu]
; error: `--sanitize` checks kernels on the `cpu`, and not on `sm_80`
;   = help: name this arch alone: `--offload-arch=cpu --sanitize`
;;; stderr[generic]
; error: `--sanitize` checks kernels on the `cpu`, and not on `generic`
;   = help: name this arch alone: `--offload-arch=cpu --sanitize`
;;; stderr[runtime]
; error: `--sanitize` needs the runtime that contains the checker
;   = help: omit `--runtime`, or type `--runtime=offloadrt`
