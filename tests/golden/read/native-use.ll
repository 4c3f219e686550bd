; Machine code that uses the device contract: an object of C, and a crate that was compiled without `-C linker-plugin-lto`.
; FAIL[object]: printf 'void __offload_kernel(void (*)(int *)); void k(int *p) { *p = 1; } int main(void) { __offload_kernel(k); }' | \
;   cc -x c -c - -o mark.o && offloadc-ld mark.o -o program
; FAIL[crate]: printf 'extern "C" { fn __offload_kernel(f: extern "C" fn(*mut i32)); } extern "C" fn k(_: *mut i32) {} #[inline(never)] pub fn mark() { unsafe { __offload_kernel(k) } }' | \
;   rustc --edition 2021 --crate-name marks --crate-type rlib -C panic=abort - -o libmarks.rlib && \
;   printf 'extern crate marks; fn main() { marks::mark() }' | \
;   rustc --edition 2021 --crate-name app -C panic=abort -L. -C linker=offloadc-ld - -o program 2>&1 | \
;   grep -o 'error\[OFC.*\|= help: .*'
;;; stderr[object]
; error[OFC0048]: `mark.o` uses `__offload_kernel` of the device contract, but is machine code and not LLVM bitcode
;   = note: it is in `mark.o`
;   = help: `cargo offloadc` leaves a crate as bitcode if it depends on the crate `offload`, or if its manifest has `kernels = true` in `[package.metadata.offload]`
;   = help: without `cargo offloadc`, the flag is `-C linker-plugin-lto`
;;; stdout[crate]
; error[OFC0048]: the crate `marks` uses `__offload_kernel` of the device contract, but is machine code and not LLVM bitcode
; = help: `cargo offloadc` leaves a crate as bitcode if it depends on the crate `offload`, or if its manifest has `kernels = true` in `[package.metadata.offload]`
; = help: without `cargo offloadc`, the flag is `-C linker-plugin-lto`
