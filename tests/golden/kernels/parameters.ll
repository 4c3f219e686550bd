; Parameters that rustc's host ABI rewrote are laid out as in the source, or refused.
; RUN[slices]: offloadc %s --offload-arch=cpu --kernel=slices --kernel=vector --kernel=large --emit=kernels=-
; FAIL[returns]: offloadc %s --offload-arch=cpu --kernel=returns --emit=kernels=-
; FAIL[reference]: offloadc %s --offload-arch=cpu --kernel=rust_abi --emit=kernels=-

target triple = "x86_64-unknown-linux-gnu"

define void @slices({ i64, i64 } %x, { i64, i64 } %y) {
  ret void
}

define void @vector(i32 %count, { double, float } %v) {
  ret void
}

define void @large(ptr byval([48 x i8]) align 8 %step) {
  ret void
}

define i32 @returns(ptr %out) {
  ret i32 0
}

define void @rust_abi(ptr dead_on_return noalias align 8 dereferenceable(24) %v) {
  ret void
}
;;; stdout[slices]
; slices (slices): plain, found by `--kernel`
;   0: value at 0, 16 bytes, aligned to 8
;   1: value at 16, 16 bytes, aligned to 8
; vector (vector): plain, found by `--kernel`
;   0: value at 0, 4 bytes, aligned to 4
;   1: value at 8, 12 bytes, aligned to 8
; large (large): plain, found by `--kernel`
;   0: value at 0, 48 bytes, aligned to 8
;;; stderr[returns]
; error[OFC0014]: kernel `returns` returns a value
;   = help: let it return nothing and write its result through a pointer
;;; stderr[reference]
; error[OFC0013]: kernel `rust_abi` takes parameter 0, which is a large value passed by the address of the caller's copy (the Rust calling convention)
;   = help: a plain kernel is `extern "C"` and takes integers, floats, raw pointers and `repr(C)` structs by value; anything else goes into one struct behind `__offload_kernel_block`
