; The checker runs on the CPU only, with the runtime that contains it.
; FAIL=2[gpu]: offloadc %s --sanitize --offload-arch=cpu,sm_80
; FAIL=2[runtime]: offloadc %s --sanitize --offload-arch=cpu --runtime=omptarget

define void @k() {
  ret void
}
