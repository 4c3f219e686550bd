; --kernel takes exported functions by their names; a pattern that finds none is an error.
; RUN[some]: offloadc %s --offload-arch=cpu --kernel=fill_* --kernel=add --emit=kernels=-
; FAIL[none]: offloadc %s --offload-arch=cpu --kernel=missing* --emit=kernels=-

target triple = "x86_64-unknown-linux-gnu"

define void @fill_one(ptr %out) {
  ret void
}

define void @fill_two(ptr %out) {
  ret void
}

define void @add(ptr %out) {
  ret void
}

define void @not_named(ptr %out) {
  ret void
}
;;; stdout[some]
; fill_one (fill_one): plain, found by `--kernel`
;   0: pointer at 0, 8 bytes, aligned to 8
; fill_two (fill_two): plain, found by `--kernel`
;   0: pointer at 0, 8 bytes, aligned to 8
; add (add): plain, found by `--kernel`
;   0: pointer at 0, 8 bytes, aligned to 8
;;; stderr[none]
; error[OFC0004]: `--kernel=missing*` matches no exported function
;   = help: write `#[unsafe(no_mangle)] pub extern "C" fn`, or mark the kernel in the source
